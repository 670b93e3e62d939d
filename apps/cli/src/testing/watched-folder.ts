import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { experimentIdOf } from '#model/testing';
import { pathFilter } from '../local/path-filter.ts';
import { scan } from '../local/scan.ts';
import { Report } from '../report.ts';
import { openSession, type Session } from '../session.ts';
import { Uploader } from '../upload/uploader.ts';
import { Encoder } from '../upload/encode.ts';
import { fixedLanes } from '../upload/lanes.ts';
import { Watcher } from '../upload/watcher.ts';
import type { TestHost } from './test-host.ts';

/** A log directory and a watching CLI whose clock is advanced manually: by one second per scan. */
export class WatchedFolder {
  readonly lines: string[] = [];
  readonly uploader: Uploader;
  readonly folder: string;
  readonly #session: Session;
  readonly #watcher: Watcher;
  /** Milliseconds since the start, on the CLI's clock. */
  #clock = 0;
  readonly #began = 1_700_000_000_000;

  /** `host` knows the server and contains the folder `logs`. */
  constructor(host: TestHost, experimentId: string) {
    this.folder = join(host.folder, 'logs');
    mkdirSync(this.folder, { recursive: true });
    const sink = { write: () => true };
    this.#session = openSession(
      { env: host.env, cwd: host.folder, stdin: new PassThrough(), stdout: sink, stderr: sink, onInterrupt: () => () => undefined },
      new Report(false, sink, sink),
      { giveUpAfterMs: Infinity },
    );
    const clocks = { now: () => this.#clock, wallClock: () => this.#began + this.#clock };
    this.uploader = new Uploader({
      api: this.#session.api,
      experimentId: experimentIdOf(experimentId),
      lanes: fixedLanes(2),
      encoder: new Encoder('none', host.env['PLOTLINE_SERVER']!, 0),
      completeWhenSent: false,
      say: (line) => this.lines.push(line),
      onProgress: () => undefined,
      ...clocks,
    });
    this.#watcher = new Watcher({
      uploader: this.uploader,
      scan: () => this.#scan(),
      say: (line) => this.lines.push(line),
      stop: new AbortController().signal,
      now: clocks.now,
    });
  }

  /**
   * Scans the folder once, does all resulting work, and advances the clock by a second or by `ms`.
   */
  async look(times = 1, ms = 1000): Promise<void> {
    for (let i = 0; i < times; i++) {
      await this.#watcher.take(await this.#scan());
      await this.uploader.run();
      this.#clock += ms;
    }
  }

  /**
   * Writes a whole file, in place if it exists. `mtime`: offset of the file's clock from the CLI's
   * clock, in seconds.
   */
  write(name: string, bytes: Uint8Array, mtime = 0): void {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    this.#stamp(path, mtime);
  }

  rename(from: string, to: string): void {
    renameSync(join(this.folder, from), join(this.folder, to));
  }

  remove(name: string): void {
    rmSync(join(this.folder, name), { force: true });
  }

  /** Replaces bytes without changing size and timestamps. */
  changeUnseen(name: string, bytes: Uint8Array): void {
    const path = join(this.folder, name);
    const { mtime, atime } = statSync(path);
    writeFileSync(path, bytes);
    utimesSync(path, atime, mtime);
  }

  close(): void {
    this.#session.close();
  }

  #stamp(path: string, mtime: number): void {
    const seconds = (this.#began + this.#clock) / 1000 + mtime;
    utimesSync(path, seconds, seconds);
  }

  #scan() {
    return scan(this.folder, pathFilter([], []));
  }
}
