import type { Readable } from 'node:stream';

/** Where text goes; `columns` is the width of a terminal, undefined elsewhere. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything a command takes from the process it runs in, so that a test can run commands side by side. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths count from: where the person stands, also below `npm run` (INIT_CWD). */
  readonly cwd: string;
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?: (on: boolean) => unknown };
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Calls back on every Ctrl-C or SIGTERM until the returned function is called. */
  onInterrupt(callback: () => void): () => void;
}

/** The host of the real command line. */
export function processHost(): Host {
  for (const stream of [process.stdout, process.stderr]) {
    // A reader that went away (`| head`) wants no more of what is said; the work itself goes on.
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
