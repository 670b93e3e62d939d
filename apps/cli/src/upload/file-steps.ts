import { stat } from 'node:fs/promises';
import { type ExperimentId, isLogName } from '#model';
import { type Api, RangeCut, type RemoteFile } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { crcOfBlocks, digestBlocks } from '../local/block-digests.ts';
import { crc32c } from '../local/crc32c.ts';
import { judgeFirstBytes } from '../local/first-bytes.ts';
import { fileIdentity, foundAgain } from '../local/scan.ts';
import type { Encoder } from './encode.ts';
import { FileChecks } from './file-checks.ts';
import { FileDoubts } from './file-doubts.ts';
import { NoEventFile } from './file-errors.ts';
import type { FileUpload, RangeToDo } from './file-upload.ts';
import { FileVersions } from './file-versions.ts';
import { OpenFiles } from './open-files.ts';
import { Pace } from './pace.ts';
import type { Scratch } from './scratch.ts';

/**
 * How often a file may change in place. After that, it is completed with the bytes that were read,
 * and the next upload handles the rest.
 */
const maxRechecks = 3;

/** Events that the steps emit. */
export interface StepEvents {
  /** `sentBytes` counts bytes of files; `bodyBytes` counts bytes of the request. */
  readonly acknowledged: (sentBytes: number, epoch: number, bodyBytes: number) => void;
  readonly say: (line: string) => void;
}

/**
 * The steps of one file's upload. Each step can be repeated after any failure.
 *
 * This rule keeps every append in its position: a file is first announced, and the CRC-32C of the
 * local first `offset` bytes must equal the server's. Only then are bytes sent from `offset` on.
 * Whenever the server contradicts this, the file is announced again.
 */
export class FileSteps {
  readonly #api: Api;
  readonly #experimentId: ExperimentId;
  readonly #encoder: Encoder;
  readonly #completeWhenSent: boolean;
  readonly #events: StepEvents;
  readonly #files = new OpenFiles();
  readonly #checks = new FileChecks(this.#files);
  readonly #versions: FileVersions;
  readonly #doubts: FileDoubts;
  readonly #pace: Pace;

  constructor(options: {
    api: Api;
    experimentId: ExperimentId;
    segmentBytes: number;
    encoder: Encoder;
    completeWhenSent: boolean;
    events: StepEvents;
    now?: () => number;
    wallClock?: () => number;
  }) {
    this.#api = options.api;
    this.#experimentId = options.experimentId;
    this.#pace = new Pace(options.segmentBytes);
    this.#encoder = options.encoder;
    this.#completeWhenSent = options.completeWhenSent;
    this.#events = options.events;
    this.#versions = new FileVersions(options.api, options.experimentId, this.#files, this.#checks);
    this.#doubts = new FileDoubts({
      files: this.#files,
      checks: this.#checks,
      versions: this.#versions,
      say: (line) => options.events.say(line),
      now: options.now ?? (() => performance.now()),
      wallClock: options.wallClock ?? Date.now,
    });
  }

  /**
   * Finds the server's version whose durable prefix is a prefix of the local file, or creates one.
   * No other request for the file may be in flight.
   */
  async announce(file: FileUpload, scratch: Scratch): Promise<void> {
    // The file may have been replaced under its name: never continue reading the old file.
    await this.close(file);
    file.askAgain();
    const { run, name, bytes } = file.found;
    let remote = await this.#api.announce(this.#experimentId, { run, name, length: bytes });
    file.heard(remote);
    const here = file.hopeless ? 'other' : await this.#checks.compare(file, scratch, remote);
    if (here === 'shorter' && (await this.#doubts.postpones(file, scratch, remote))) return;
    if (here !== 'same') {
      const because =
        here === 'shorter' ? 'is shorter than the file uploaded under its name' : 'differs from the file uploaded under its name';
      // The newest version counts: if a file that this process saw replaced comes back, it becomes
      // a new version.
      const older = file.hopeless || file.sawHere(remote) ? null : await this.#versions.findOther(file, scratch, remote);
      const created = older ?? (await this.#versions.create(file, scratch, remote));
      if (!created) return;
      remote = created;
      if (!older) this.#events.say(`${file.label} ${because}: uploading it as version ${remote.version}; earlier uploads are kept.`);
    } else if (remote.offset === 0 && !remote.created) {
      // Another client is starting this version now, possibly for a different file, while an older
      // version contains this file.
      const older = await this.#versions.findOther(file, scratch, remote);
      if (older && older.offset > 0) remote = older;
    }
    file.unverified = false;
    if (remote.created || remote.offset >= file.found.bytes) {
      file.resume(remote, null);
    } else {
      const position = await this.#api.position(remote.fileId);
      if (position.offset > remote.offset) {
        // Another client has sent more since: compare the new bytes, otherwise their bytes and ours
        // would end up in one file.
        const now = await this.#versions.current(file, remote);
        if (!now || (await this.#checks.compare(file, scratch, now)) !== 'same') return file.contradicted();
        remote = now;
      }
      file.resume(remote, position);
    }
    await this.#doubts.holdZeros(file, scratch);
    if (file.allTaken) this.#sent(file);
  }

  /** Checks a file that has grown: the start and the end of the sent part must be unchanged. */
  async lookAgain(file: FileUpload, scratch: Scratch): Promise<void> {
    if (file.zeros) {
      // The file was postponed, so no scan has its current state.
      const now = foundAgain(file.found, await stat(file.found.path));
      if (now.identity !== file.found.identity) return file.reconsider(now);
      file.found = now;
    }
    if (!(await this.#checks.looksSame(file, scratch, false))) return file.reconsider(file.found);
    file.phase = 'send';
    await this.#doubts.holdZeros(file, scratch);
    if (file.allTaken) this.#sent(file);
  }

  /** Checks one more block of a completely uploaded file, and the blocks that contained zeros. */
  async sample(file: FileUpload, scratch: Scratch): Promise<void> {
    if (await this.#checks.looksSame(file, scratch, true)) file.phase = 'settled';
    else file.reconsider(foundAgain(file.found, await (await this.#files.handle(file)).stat()));
  }

  /** Sends the next range, if there is one. Several calls can run at the same time. */
  async send(file: FileUpload, scratch: Scratch): Promise<void> {
    const range = file.take(this.#pace.bytes);
    if (range) {
      const bytes = scratch.take(range.end - range.start);
      const read = await (await this.#files.handle(file)).read(bytes, range.start);
      if (read < bytes.length) {
        file.found = foundAgain(file.found, await stat(file.found.path));
        file.contradicted();
        return;
      }
      // The file may have been replaced since the scan.
      if (range.send && range.start === 0 && !isLogName(file.found.name) && judgeFirstBytes(bytes).kind !== 'event-file')
        throw new NoEventFile();
      const blocks = digestBlocks(bytes, range.start);
      if (range.send && !(await this.#bring(file, range, bytes, crcOfBlocks(blocks)))) return;
      file.done(range, blocks);
    } else if (!file.allTaken && file.inFlight === 1 && !file.conflict) {
      // All responses have arrived but the window is still full: the server lacks a range that we
      // believe was sent.
      file.contradicted();
    }
    // This step itself still counts as in flight.
    if (file.allTaken && file.inFlight === 1 && !file.conflict && file.phase === 'send') this.#sent(file);
  }

  /**
   * Sends a range to the server. Returns false if the range was cut on a slow connection and will
   * be split into smaller ranges.
   */
  async #bring(file: FileUpload, range: RangeToDo, bytes: Uint8Array, crc: number): Promise<boolean> {
    const { body, encoding } = await this.#encoder.encode(bytes, crc);
    const digest = encoding ? crc32c(body) : crc;
    try {
      // A small file is sent and completed by one request; its digest covers the whole file.
      const whole = this.#completeWhenSent && range.start === 0 && range.end === file.found.bytes;
      const divisible = this.#pace.canCut(bytes.length);
      const sent = { offset: range.start, body, digest, encoding, whole, divisible };
      const response = await this.#api.append((file.remote as RemoteFile).fileId, sent);
      file.completed = response.complete;
      this.#pace.measured(bytes.length, response.ms);
      this.#events.acknowledged(bytes.length, response.epoch, body.length);
      file.promise(response.offset);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unsupported-encoding' && this.#encoder.rejected(encoding))
        return this.#bring(file, range, bytes, crc);
      if (!(error instanceof RangeCut)) throw error;
      this.#pace.cut(bytes.length);
      file.giveBack(range);
      return false;
    }
  }

  /**
   * Marks the file as complete on the server: no more bytes follow. No other request for the file
   * may be in flight.
   */
  async complete(file: FileUpload, scratch: Scratch): Promise<void> {
    const { found } = file;
    // A file that was removed or is no longer readable is completed with the bytes that were read.
    const now = await stat(found.path).catch(() => null);
    const changed =
      now !== null &&
      (fileIdentity(now) !== found.identity || now.size < found.bytes || (now.size === found.bytes && now.mtimeMs !== found.mtimeMs));
    // Bytes sent a while ago may have changed even if the file's timestamps did not: network
    // file systems fill holes late.
    const mayDiffer = changed || (now !== null && !this.#completeWhenSent && !(await this.#checks.isAsSent(file, scratch)));
    if (mayDiffer && file.rechecks++ < maxRechecks) {
      file.reconsider(foundAgain(found, now));
      return;
    }
    if (!file.completed) {
      const epoch = await this.#api.complete((file.remote as RemoteFile).fileId, file.checkedBytes, file.crc);
      this.#events.acknowledged(0, epoch, 0);
      file.promise(file.checkedBytes);
      file.completed = true;
    }
    file.settle();
  }

  close(file: FileUpload): Promise<void> {
    return this.#files.close(file);
  }

  #sent(file: FileUpload): void {
    if (file.unverified) {
      file.phase = 'announce';
      return;
    }
    file.promise(file.checkedBytes);
    if (!this.#completeWhenSent) file.settle();
    else file.phase = file.zeros ? 'doubted' : 'complete';
  }
}
