import type { Readable } from 'node:stream';

/** An output for text; `columns` is the width of a terminal, otherwise undefined. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * Everything that a command uses from its process. Tests replace it to run commands in parallel.
 */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base of relative paths: the user's working folder, even under `npm run` (INIT_CWD). */
  readonly cwd: string;
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?: (on: boolean) => unknown };
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Calls the callback on every Ctrl-C or SIGTERM until the returned function is called. */
  onInterrupt(callback: () => void): () => void;
}

/** The host of the real CLI. */
export function processHost(): Host {
  for (const stream of [process.stdout, process.stderr]) {
    // A closed pipe (`| head`) ends the output, but the work continues.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return {
    env: process.env,
    cwd: process.env['INIT_CWD'] || process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onInterrupt(callback) {
      process.on('SIGINT', callback);
      process.on('SIGTERM', callback);
      return () => {
        process.off('SIGINT', callback);
        process.off('SIGTERM', callback);
      };
    },
  };
}
