import type { ExperimentId } from '#model';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import type { FoundFile } from '../local/scan.ts';
import { temporaryName } from '../local/temporary-names.ts';
import type { Encoder } from './encode.ts';
import { concernsOneFile } from './file-errors.ts';
import { FileSteps } from './file-steps.ts';
import { FileUpload } from './file-upload.ts';
import type { LaneCount } from './lanes.ts';
import { Scratch, segmentBytesFor } from './scratch.ts';

/**
 * Dependencies of {@link Uploader}. `completeWhenSent`: one-shot uploads complete each file
 * immediately; a watcher decides when.
 */
export interface UploaderOptions {
  readonly api: Api;
  readonly experimentId: ExperimentId;
  readonly lanes: LaneCount;
  readonly encoder: Encoder;
  readonly completeWhenSent: boolean;
  /** A message for the user: a new version, a rejected file. */
  readonly say: (line: string) => void;
  readonly onProgress: () => void;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  /** The clock for comparisons with modification times of files. */
  readonly wallClock?: () => number;
}

/**
 * Sends files to the server on several connections. A lane corresponds to one connection and has
 * one buffer, which bounds the memory; `lanes` determines how many are used. Each lane works on its
 * own file while there are enough files; then lanes share files by ranges.
 */
export class Uploader {
  readonly files = new Map<string, FileUpload>();
  /** Files that could not be uploaded, by label. */
  readonly failed = new Map<string, Error>();
  /** Decoded bytes sent by this process and acknowledged. */
  uploadedBytes = 0;
  /** Everything acknowledged so far is covered by this epoch. */
  epoch = 0;

  readonly #options: UploaderOptions;
  readonly #steps: FileSteps;
  readonly #scratches: Scratch[];
  readonly #waiting: FileUpload[] = [];
  readonly #active = new Set<FileUpload>();
  readonly #knownDamage = new Set<string>();
  #stopped = false;
  #wake: (() => void)[] = [];

  constructor(options: UploaderOptions) {
    this.#options = options;
    const { max } = options.lanes;
    const segmentBytes = segmentBytesFor(max);
    this.#scratches = Array.from({ length: max }, () => new Scratch(segmentBytes));
    this.#steps = new FileSteps({
      ...options,
      segmentBytes,
      events: {
        say: options.say,
        acknowledged: (sentBytes, epoch, bodyBytes) => {
          if (bodyBytes > 0) options.lanes.acknowledged(bodyBytes);
          this.uploadedBytes += sentBytes;
          this.epoch = Math.max(this.epoch, epoch);
        },
      },
    });
  }

  /** Bytes of all known files, and how many of these bytes the server has. */
  get progress(): { readonly bytes: number; readonly done: number } {
    let bytes = 0;
    let done = 0;
    for (const file of this.files.values()) {
      bytes += file.found.bytes;
      done += Math.min(file.acknowledged, file.found.bytes);
    }
    return { bytes, done };
  }

  /**
   * Applies the result of a scan: new, grown and replaced files. A file that a lane works on waits
   * for the next scan.
   */
  update(found: readonly FoundFile[]): void {
    for (const now of found) {
      const known = this.files.get(now.path);
      if (!known) {
        const file = new FileUpload(now);
        this.files.set(now.path, file);
        this.#enqueue(file);
        continue;
      }
      // The state in a scan may be older than the state that a step has seen since.
      if ((known.phase !== 'settled' && known.phase !== 'failed') || now === known.scanned) continue;
      known.scanned = now;
      const before = known.found;
      if (now.identity === before.identity && now.bytes === before.bytes && now.mtimeMs === before.mtimeMs) continue;
      if (known.phase === 'settled' && now.identity === before.identity && now.bytes > before.bytes) known.grow(now);
      else known.reconsider(now);
      this.#enqueue(known);
    }
  }

  /** Whether files are postponed for a later check. */
  get hasDoubts(): boolean {
    return [...this.files.values()].some((file) => file.phase === 'doubted');
  }

  /** Resumes the files that were postponed. */
  lookAgain(): void {
    for (const file of this.files.values()) {
      if (file.phase !== 'doubted' || file.inFlight > 0) continue;
      file.takeUp();
      this.#enqueue(file);
    }
  }

  /**
   * Requests a check of part of a settled file, or of the whole file if there is a reason
   * (`whole`).
   */
  sample(file: FileUpload, whole: boolean): void {
    if (file.phase !== 'settled') return;
    if (whole) file.reconsider(file.found);
    else file.phase = 'sample';
    this.#enqueue(file);
  }

  /**
   * Requests a full check of each file in which the service has found new damage: bytes may have
   * been zeros, or different, when they were sent. If the token may not read damage, the upload
   * continues without these checks.
   */
  async lookWhereDamaged(signal?: AbortSignal): Promise<void> {
    const sent = new Map([...this.files.values()].flatMap((file) => (file.remote ? [[file.remote.fileId, file] as const] : [])));
    if (sent.size === 0) return;
    let places;
    try {
      places = await this.#options.api.damagedPlaces(this.#options.experimentId, signal);
    } catch (error) {
      if (error instanceof ApiError || signal?.aborted) return;
      throw error;
    }
    for (const { fileId, place } of places) {
      const file = sent.get(fileId);
      if (!file || this.#knownDamage.has(place) || file.phase !== 'settled') continue;
      this.#knownDamage.add(place);
      this.sample(file, true);
    }
  }

  /** Requests that a settled file be completed: no more bytes are expected. */
  complete(file: FileUpload): void {
    if (file.phase !== 'settled' || file.completed) return;
    file.phase = 'complete';
    this.#enqueue(file);
  }

  /**
   * Works until everything known is settled, or postponed. Throws errors that end the whole upload:
   * not signed in, experiment deleted, server unavailable.
   */
  async run(): Promise<void> {
    let fault: { readonly error: unknown } | undefined;
    await Promise.all(
      this.#scratches.map(async (scratch, lane) => {
        try {
          await this.#work(scratch, lane);
        } catch (error) {
          // After a stop, requests in flight may be cut: the next upload resumes from the server's
          // offsets.
          if (!this.#stopped) fault = { error };
          this.stop();
        }
      }),
    );
    for (const file of this.#active) await this.#steps.close(file);
    if (fault) throw fault.error;
  }

  /** Starts no more work; {@link run} returns when the requests in flight have ended. */
  stop(): void {
    this.#stopped = true;
    this.#changed();
  }

  async #work(scratch: Scratch, lane: number): Promise<void> {
    const { lanes } = this.#options;
    for (;;) {
      const isUsed = lane < lanes.now;
      const file = isUsed ? this.#pick() : null;
      if (file) {
        file.inFlight++;
        try {
          await this.#step(file, scratch);
        } finally {
          file.inFlight--;
          if (file.inFlight === 0 && (file.phase === 'settled' || file.phase === 'failed' || file.phase === 'doubted')) {
            this.#active.delete(file);
            await this.#steps.close(file);
          }
          this.#changed();
        }
        this.#options.onProgress();
      } else if (this.#stopped || (this.#active.size === 0 && this.#waiting.length === 0)) {
        return;
      } else {
        if (isUsed) lanes.idle();
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    }
  }

  /**
   * The next file with work to do: a file that no lane works on, otherwise a new file, otherwise
   * the file with the fewest lanes.
   */
  #pick(): FileUpload | null {
    if (this.#stopped) return null;
    for (const file of this.#active) if (file.inFlight === 0) return file;
    const next = this.#waiting.shift();
    if (next) {
      this.#active.add(next);
      return next;
    }
    let fewest: FileUpload | null = null;
    for (const file of this.#active) if (file.canTake && (fewest === null || file.inFlight < fewest.inFlight)) fewest = file;
    return fewest;
  }

  async #step(file: FileUpload, scratch: Scratch): Promise<void> {
    try {
      if (file.conflict || file.phase === 'announce') await this.#steps.announce(file, scratch);
      else if (file.phase === 'grown') await this.#steps.lookAgain(file, scratch);
      else if (file.phase === 'send') await this.#steps.send(file, scratch);
      else if (file.phase === 'complete') await this.#steps.complete(file, scratch);
      else if (file.phase === 'sample') await this.#steps.sample(file, scratch);
      if (file.phase === 'settled') this.failed.delete(file.label);
      else if (file.lost)
        this.#fail(file, new Error('it changes faster than it can be uploaded, or the server loses the bytes it receives'));
    } catch (error) {
      this.#judge(file, error);
    }
  }

  /**
   * Classifies errors: the server contradicts us (announce the file again), this file cannot be
   * uploaded (continue with the other files), or no file can.
   */
  #judge(file: FileUpload, error: unknown): void {
    if (error instanceof ApiError && (error.status === 409 || error.code === 'file-not-found')) {
      file.contradicted();
      if (file.lost) this.#fail(file, error);
    } else if (concernsOneFile(error)) {
      this.#fail(file, error);
    } else {
      throw error;
    }
  }

  #fail(file: FileUpload, error: Error): void {
    file.fail();
    const gone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (gone && temporaryName(file.found.run, file.found.name)) {
      // Most likely renamed: the next scan finds it.
      this.files.delete(file.found.path);
      return;
    }
    this.failed.set(file.label, error);
    this.#options.say(`${file.label}: ${gone ? 'was deleted before it was uploaded' : error.message}`);
  }

  #enqueue(file: FileUpload): void {
    this.#waiting.push(file);
    this.#changed();
  }

  #changed(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resolve of wake) resolve();
  }
}
