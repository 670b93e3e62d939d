import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Program, type ProgramEnd, type ProgramKind } from './program.ts';

const root = join(import.meta.dirname, '../..');

/**
 * The processes of a service, several of each kind, with one database, queue and object store.
 * Knows nothing about routing.
 */
export class Programs {
  readonly #env: NodeJS.ProcessEnv;
  readonly #all: Program[] = [];

  /** `env`: the environment of all processes. */
  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  get all(): readonly Program[] {
    return this.#all;
  }

  /** In the order of their first start, including exited processes. */
  of(kind: ProgramKind): readonly Program[] {
    return this.#all.filter((program) => program.kind === kind);
  }

  /** The output of all processes. */
  get output(): string {
    return this.#all.map(({ output }) => output).join('');
  }

  /**
   * Starts `count` more processes of a kind, with additional settings; resolves when they serve.
   * `build`: the folder of another version.
   */
  async start(kind: ProgramKind, count = 1, env: NodeJS.ProcessEnv = {}, build?: string): Promise<Program[]> {
    const started: Program[] = [];
    for (let i = 0; i < count; i++) started.push(new Program(kind, { ...this.#env, ...env }, build));
    this.#all.push(...started);
    await Promise.all(started.map((program) => program.start()));
    return started;
  }

  /** Sends a signal to the process with this PID. */
  kill(signal: NodeJS.Signals, pid: number): boolean {
    return this.#all.find((program) => program.pid === pid)?.send(signal) ?? false;
  }

  /** Restarts the exited processes; resolves when they serve. */
  async restart(): Promise<void> {
    await Promise.all(this.#all.filter(({ pid, isRetired }) => pid === null && !isRetired).map((program) => program.start()));
  }

  /** Terminates all processes; resolves with the exit code or signal of each process. */
  end(signal: NodeJS.Signals): Promise<ProgramEnd[]> {
    return Promise.all(this.#all.map((program) => program.end(signal)));
  }
}

/**
 * Runs `npm run migrate` with this environment. Throws its output if it fails. `build`: the folder
 * of another version.
 */
export async function migrate(env: NodeJS.ProcessEnv, args: readonly string[] = [], build = root): Promise<string> {
  const child = spawn(process.execPath, [join(build, 'dist/apps/migrate/src/main.js'), ...args], {
    cwd: '/',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece: string) => (output += piece));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`migrate exited with ${code}:\n${output}`);
  return output;
}
