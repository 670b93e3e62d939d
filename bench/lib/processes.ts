import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** A program that the bench started, and its output so far. */
export interface Running {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The end of both streams, for error messages; at most `keptOutputCharacters`. */
  output(): string;
  /** All of its stdout so far. */
  stdout(): string;
  /**
   * The first line of stdout or stderr that matches. Rejects when the program exits or after
   * `timeoutMs`.
   */
  line(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray>;
  readonly exited: Promise<number | null>;
  /**
   * Sends SIGTERM, and SIGKILL if the program still runs after `graceMs`. Does nothing if it has
   * exited.
   */
  stop(graceMs?: number): Promise<void>;
}

const keptOutputCharacters = 20_000;

/**
 * Starts a program with all three streams as pipes. The bench drains both outputs, so a verbose
 * program does not block.
 */
export function start(command: string, args: readonly string[], options: SpawnOptions = {}): Running {
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  // A program that closes its stdin early is not an error of the bench.
  child.stdin.on('error', () => undefined);
  let kept = '';
  let stdout = '';
  child.stdout.on('data', (text: string) => (stdout += text));
  const listeners = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    eachLine(stream, (line) => {
      kept = `${kept}${line}\n`.slice(-keptOutputCharacters);
      for (const listener of listeners) listener(line);
    });
  }
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  exited.catch(() => undefined);

  const line = async (pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> => {
    const earlier = pattern.exec(kept);
    if (earlier) return earlier;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        listeners.delete(listener);
        clearTimeout(timer);
      };
      const listener = (text: string): void => {
        const match = pattern.exec(text);
        if (!match) return;
        settle();
        resolve(match);
      };
      const fail = (why: string): void => {
        settle();
        reject(new Error(`${command} ${args[0] ?? ''}: ${why} before it printed ${pattern}\n${kept}`));
      };
      const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
      listeners.add(listener);
      exited.then(
        (code) => fail(`ended with ${code}`),
        (error: Error) => fail(error.message),
      );
    });
  };

  const stop = async (graceMs = 30_000): Promise<void> => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.stdin.end();
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await exited;
    clearTimeout(timer);
  };

  return { process: child, pid: child.pid ?? -1, output: () => kept, stdout: () => stdout, line, exited, stop };
}

/**
 * Runs a program and returns its stdout. Throws with the end of its output if the program fails.
 */
export async function run(command: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let both = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    both += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (both += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${both.slice(-4_000)}`);
  return stdout;
}

function eachLine(stream: Readable, use: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) use(line);
  });
  stream.on('end', () => {
    if (rest !== '') use(rest);
  });
}
