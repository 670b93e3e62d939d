import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EventRecords } from '#points';
import { makeFolders, temporaryFor } from '../local/write-file.ts';
import { finishFile } from './finish-file.ts';

/** One event file of a run that is being written. */
interface Lane {
  readonly path: string;
  readonly temporary: string;
  readonly file: FileHandle;
}

/**
 * The event files of one run, one per writer. If there are several, all start with the same wall
 * time, no later than any of their points. When files that overlap in time are read again, they are
 * separate writers, ordered by file name.
 */
export class EventLanes {
  readonly #lanes: Lane[] = [];
  readonly #pathOf: (writer: number) => string;
  readonly #startTime: number | null;
  #first: number | null;
  #bytes = 0;

  /** `startTime`: smallest positive wall time of the run, if any. */
  constructor(pathOf: (writer: number) => string, startTime: number | null) {
    this.#pathOf = pathOf;
    this.#startTime = startTime;
    this.#first = startTime;
  }

  /** Appends records; their smallest wall time is `firstWallTime`. */
  async append(writer: number, records: Uint8Array, firstWallTime: number | null): Promise<void> {
    await this.#open(writer);
    if (firstWallTime !== null && (this.#first === null || firstWallTime < this.#first)) this.#first = firstWallTime;
    this.#bytes += records.length;
    await this.#lanes[writer]!.file.writeFile(records);
  }

  /** Completes the files and gives them their final names; returns their paths and bytes. */
  async finish(): Promise<{ readonly paths: readonly string[]; readonly bytes: number }> {
    await this.#open(0);
    // A single writer keeps the start time of its run, even if some points have a wall time of 0.
    const wallTime = (this.#lanes.length === 1 ? this.#startTime : null) ?? this.#first ?? 0;
    for (const { path, temporary, file } of this.#lanes) {
      const head = version(wallTime);
      await file.write(head, 0, head.length, 0);
      this.#bytes += head.length;
      await file.sync();
      await file.close();
      await finishFile(temporary, path);
    }
    return { paths: this.#lanes.map(({ path }) => path), bytes: this.#bytes };
  }

  /** Removes what was written. */
  async abort(): Promise<void> {
    for (const { file, temporary } of this.#lanes) {
      await file.close().catch(() => undefined); // it may be closed already
      await rm(temporary, { force: true });
    }
  }

  /**
   * Every writer up to this writer needs a file, because a file's position determines its writer's
   * number.
   */
  async #open(writer: number): Promise<void> {
    while (this.#lanes.length <= writer) {
      const path = this.#pathOf(this.#lanes.length);
      makeFolders(dirname(path));
      const temporary = temporaryFor(path);
      const file = await open(temporary, 'wx');
      this.#lanes.push({ path, temporary, file });
      // The wall time is only known at the end; setting it does not change the length.
      await file.writeFile(version(0));
    }
  }
}

function version(wallTime: number): Buffer {
  const records = new EventRecords(64);
  records.version(wallTime);
  return records.finish();
}
