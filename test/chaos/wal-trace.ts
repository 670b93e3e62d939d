/** What a trace says: the answers to appends, and how many of them left after a sync of the WAL that began after their request had come. */
export interface Traced {
  readonly answers: number;
  readonly inOrder: number;
}

/**
 * Reads what `strace -f -y -ttt` wrote of Postgres and the upload processes: lines in the order of time, calls that were interrupted by others in two parts. A sync counts for the request that had come last when it
 * began, and only if it has returned before that request's answer leaves.
 */
export function readTrace(trace: string): Traced {
  let request = 0;
  let syncedRequest = 0;
  let answered = 0;
  let answers = 0;
  let inOrder = 0;
  /** By process: the request that had come last when its sync began. */
  const unfinished = new Map<string, number>();
  for (const line of trace.split('\n')) {
    const pid = line.split(' ', 1)[0]!;
    if (/(fdatasync|fsync)\(\d+<[^>]*pg_wal/.test(line)) {
      if (line.includes('<unfinished')) unfinished.set(pid, request);
      else if (line.endsWith('= 0')) syncedRequest = request;
    } else if (/<\.\.\. (fdatasync|fsync) resumed>/.test(line) && unfinished.has(pid)) {
      if (line.endsWith('= 0')) syncedRequest = Math.max(syncedRequest, unfinished.get(pid)!);
      unfinished.delete(pid);
    } else if (/(read|readv|recvfrom|recvmsg|resumed>).*"PATCH \/api\/v1\/files/.test(line)) request++;
    else if (/"HTTP\/1\.1 204/.test(line)) {
      answers++;
      if (request > answered && syncedRequest === request) inOrder++;
      answered = request;
    }
  }
  return { answers, inOrder };
}
