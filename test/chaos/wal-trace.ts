/**
 * The result of a trace: responses to appends, and how many of them were sent after a WAL sync that
 * started after their request had arrived.
 */
export interface Traced {
  readonly responses: number;
  readonly inOrder: number;
}

/**
 * Parses the output of `strace -f -y -ttt` for Postgres and the upload processes: lines in time
 * order, with interrupted calls in two parts. A sync counts for the last request before it started,
 * and only if it returned before that request's response was sent.
 */
export function readTrace(trace: string): Traced {
  let request = 0;
  let syncedRequest = 0;
  let responded = 0;
  let responses = 0;
  let inOrder = 0;
  /** By process: the last request before its sync started. */
  const unfinished = new Map<string, number>();
  for (const line of trace.split('\n')) {
    const pid = line.split(' ', 1)[0]!;
    if (/(fdatasync|fsync)\(\d+<[^>]*pg_wal/.test(line)) {
      if (line.includes('<unfinished')) unfinished.set(pid, request);
      else if (line.endsWith('= 0')) syncedRequest = request;
    } else if (/<\.\.\. (fdatasync|fsync) resumed>/.test(line) && unfinished.has(pid)) {
      if (line.endsWith('= 0')) syncedRequest = Math.max(syncedRequest, unfinished.get(pid)!);
      unfinished.delete(pid);
    } else if (/(read|readv|recvfrom|recvmsg|resumed>).*"PATCH \/api\/v1\/(files|uploads)/.test(line)) request++;
    else if (/"HTTP\/1\.1 204/.test(line)) {
      responses++;
      if (request > responded && syncedRequest === request) inOrder++;
      responded = request;
    }
  }
  return { responses, inOrder };
}
