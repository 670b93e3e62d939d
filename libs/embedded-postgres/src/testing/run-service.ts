import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Said {
  readonly state: 'ready' | 'interrupted' | 'stopped' | 'failed';
  readonly url?: string;
  readonly runAs?: string;
  readonly name?: string;
  readonly message?: string;
}

/** A running {@link file://./service.ts}. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  /** The next message; fails if the process ends without a message. */
  next(): Promise<Said>;
  tell(what: 'stop' | 'exit'): void;
  /** Kills the service, as in a machine crash, and waits until it has ended. */
  kill(): Promise<void>;
}

/** Starts the service on a folder, in a separate process group, as a terminal does. */
export function runService(dataDir: string, as: { uid?: number; gid?: number } = {}): ServiceProcess {
  const script = fileURLToPath(new URL('service.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=source', script, dataDir], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
    ...as,
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const lines: Interface = createInterface({ input: child.stdout });
  const output = lines[Symbol.asyncIterator]();
  return {
    child,
    next: async () => {
      const { value, done } = await output.next();
      if (done) throw new Error(`the service ended without a word: ${errors}`);
      return JSON.parse(value) as Said;
    },
    tell: (what) => void child.stdin.write(`${what}\n`),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
