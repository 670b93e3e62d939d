import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Host } from '../host.ts';
import { runCli } from '../program.ts';

/** The result of one command. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A user at a terminal, with a separate home and working folder. Commands run in this process. */
export class TestHost {
  /** The working folder of commands. */
  readonly folder: string;
  readonly env: Record<string, string | undefined>;
  #interrupts: (() => void)[] = [];
  #stderr = '';
  #listeners: (() => void)[] = [];

  constructor(env: Record<string, string> = {}) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'plotline-cli-')));
    this.env = {
      HOME: join(this.folder, 'home'),
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      XDG_STATE_HOME: join(this.folder, 'state'),
      ...env,
    };
  }

  /** Writes a file below the folder, creating its parent folders. */
  write(path: string, content: Uint8Array | string): string {
    const absolute = join(this.folder, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, content);
    return absolute;
  }

  async run(args: readonly string[], stdin = ''): Promise<Outcome> {
    let stdout = '';
    this.#stderr = '';
    const host: Host = {
      env: this.env,
      cwd: this.folder,
      stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
      stdout: { write: (text) => (stdout += text) },
      stderr: {
        write: (text) => {
          this.#stderr += text;
          for (const listener of this.#listeners) listener();
        },
      },
      onInterrupt: (callback) => {
        this.#interrupts.push(callback);
        return () => (this.#interrupts = this.#interrupts.filter((other) => other !== callback));
      },
    };
    const exitCode = await runCli(args, host);
    return { exitCode, stdout, stderr: this.#stderr };
  }

  /** The stderr output of the current or last command. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Presses Ctrl-C. */
  interrupt(): void {
    for (const callback of this.#interrupts) callback();
  }

  /** Resolves when the running command has printed a match. */
  async untilPrinted(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#stderr)) await new Promise<void>((resolve) => this.#listeners.push(resolve));
    this.#listeners = [];
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
