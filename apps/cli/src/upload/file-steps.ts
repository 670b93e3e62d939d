import { stat } from 'node:fs/promises';
import { type Api, RangeCut, type RemoteFile } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { beginningCrc32c } from '../local/beginning-crc32c.ts';
import { blockBytes, crcOfBlocks, digestBlocks, findZeros, readBlocks } from '../local/block-digests.ts';
import { crc32c } from '../local/crc32c.ts';
import { EventFile } from '../local/event-file.ts';
import { judgeFirstBytes } from '../local/first-bytes.ts';
import { fileIdentity, foundAgain, type FoundFile } from '../local/scan.ts';
import type { Encoder } from './encode.ts';
import type { FileUpload, RangeToDo } from './file-upload.ts';
import { Pace } from './pace.ts';
import type { Scratch } from './scratch.ts';

/**
 * This much of the end of what was sent is checked again when a file has grown, in addition to its
 * start.
 */
const tailBytes = 64 * 1024;
/** Maximum blocks with zeros per check. */
const mostZeroBlocks = 4;
/**
 * A file that keeps changing in place during its upload is completed as it was read; the next
 * upload sees the rest.
 */
const maxRechecks = 3;
/**
 * A file is rechecked for this long before it counts as shorter: shared file systems show old sizes
 * for some seconds.
 */
const doubtMs = 20_000;
/**
 * A file that was shortened while it was watched, and grows again with the same bytes, is being
 * copied over: maximum wait for that.
 */
const mostDoubtMs = 120_000;
/**
 * Zeros that may be a hole are not sent for this long: network file systems show them for some
 * seconds, and some writers preallocate space.
 */
const zerosMs = 10_000;
/**
 * A file that was last written this long ago is no longer being written: its zeros are its content.
 */
const oldMs = 60_000;

/** Events that the steps report. */
export interface StepEvents {
  readonly acknowledged: (sentBytes: number, epoch: number) => void;
  readonly say: (line: string) => void;
}

/**
 * The steps of one file's upload, each of which may be repeated after any failure.
 *
 * The rule that keeps every append in its position: a file is first announced, and the CRC-32C of
 * the local first `offset` bytes must equal the server's; only then are bytes sent from `offset`
 * on. Whenever the server contradicts this, the file is announced again.
 */
export class FileSteps {
  readonly #api: Api;
  readonly #experimentId: string;
  readonly #encode: Encoder;
  readonly #completeWhenSent: boolean;
  readonly #events: StepEvents;
  readonly #now: () => number;
  readonly #wallClock: () => number;
  readonly #open = new Map<FileUpload, Promise<EventFile>>();
  readonly #pace: Pace;

  constructor(options: {
    api: Api;
    experimentId: string;
    segmentBytes: number;
    encode: Encoder;
    completeWhenSent: boolean;
    events: StepEvents;
    now?: () => number;
    wallClock?: () => number;
  }) {
    this.#now = options.now ?? (() => performance.now());
    this.#wallClock = options.wallClock ?? Date.now;
    this.#api = options.api;
    this.#pace = new Pace(options.segmentBytes);
    this.#experimentId = options.experimentId;
    this.#encode = options.encode;
    this.#completeWhenSent = options.completeWhenSent;
    this.#events = options.events;
  }

  /**
   * Finds the server's version whose durable prefix is a prefix of the local file, or creates one.
   * Nothing else of the file may be in flight.
   */
  async announce(file: FileUpload, scratch: Scratch): Promise<void> {
    // The file may have been replaced under its name: never continue reading the old one.
    await this.close(file);
    file.askAgain();
    const { run, name, bytes } = file.found;
    let remote = await this.#api.announce(this.#experimentId, { run, name, length: bytes });
    file.heard(remote);
    const here = file.hopeless ? 'other' : await this.#compare(file, scratch, remote);
    if (here === 'shorter' && (await this.#doubts(file, scratch, remote))) return;
    if (here !== 'same') {
      const because =
        here === 'shorter' ? 'is shorter than what was uploaded under its name' : 'differs from what was uploaded under its name';
      // The newest version counts: if this process has seen a file replaced, and it comes back, it
      // becomes a newer version again.
      const older = file.hopeless || file.sawHere(remote) ? null : await this.#otherVersion(file, scratch, remote);
      const made = older ?? (await this.#newVersion(file, scratch, remote));
      if (!made) return;
      remote = made;
      if (!older) this.#events.say(`${file.label} ${because}: uploading it as version ${remote.version}; earlier uploads are kept.`);
    } else if (remote.offset === 0 && !remote.created) {
      // Another client is starting this version now. It may be for a different file, while an older
      // version holds this one.
      const older = await this.#otherVersion(file, scratch, remote);
      if (older && older.offset > 0) remote = older;
    }
    file.unverified = false;
    if (remote.created || remote.offset >= file.found.bytes) {
      file.resume(remote, null);
    } else {
      const position = await this.#api.position(remote.fileId);
      if (position.offset > remote.offset) {
        // Another client has sent more since: compare it, otherwise their bytes and ours would end
        // up in one file.
        const now = await this.#asOfNow(file, remote);
        if (!now || (await this.#compare(file, scratch, now)) !== 'same') return file.contradicted();
        remote = now;
      }
      file.resume(remote, position);
    }
    await this.#holdZeros(file, scratch);
    if (file.allTaken) this.#sent(file);
  }

  /** For a file that has grown: the start and the end of what was sent must be unchanged. */
  async lookAgain(file: FileUpload, scratch: Scratch): Promise<void> {
    if (file.zeros) {
      // It was put aside, and no scan has its current state.
      const now = foundAgain(file.found, await stat(file.found.path));
      if (now.identity !== file.found.identity) return file.reconsider(now);
      file.found = now;
    }
    if (!(await this.#looksSame(file, scratch, false))) return file.reconsider(file.found);
    file.phase = 'send';
    await this.#holdZeros(file, scratch);
    if (file.allTaken) this.#sent(file);
  }

  /** Checks one more block of a completely uploaded file, and those that contained zeros. */
  async sample(file: FileUpload, scratch: Scratch): Promise<void> {
    if (await this.#looksSame(file, scratch, true)) file.phase = 'settled';
    else file.reconsider(foundAgain(file.found, await (await this.#handle(file)).stat()));
  }

  /** Sends the next range, if there is one. Several calls may run at once. */
  async send(file: FileUpload, scratch: Scratch): Promise<void> {
    const range = file.take(this.#pace.bytes);
    if (range) {
      const bytes = scratch.take(range.end - range.start);
      const read = await (await this.#handle(file)).read(bytes, range.start);
      if (read < bytes.length) {
        file.found = foundAgain(file.found, await stat(file.found.path));
        file.contradicted();
        return;
      }
      // It may have been replaced since the scan.
      if (range.send && range.start === 0 && judgeFirstBytes(bytes).kind !== 'event-file') throw new NoEventFile();
      const blocks = digestBlocks(bytes, range.start);
      if (range.send && !(await this.#bring(file, range, bytes, crcOfBlocks(blocks)))) return;
      file.done(range, blocks);
    } else if (!file.allTaken && file.inFlight === 1 && !file.conflict) {
      // All responses have arrived and yet the window is full: the server lacks a range that we
      // believe was sent.
      file.contradicted();
    }
    // This step itself still counts as in flight.
    if (file.allTaken && file.inFlight === 1 && !file.conflict && file.phase === 'send') this.#sent(file);
  }

  /**
   * Sends a range to the server. False: it was cut on a slow line, and will be split into smaller
   * ones.
   */
  async #bring(file: FileUpload, range: RangeToDo, bytes: Uint8Array, crc: number): Promise<boolean> {
    const { body, encoding } = await this.#encode(bytes);
    const digest = encoding ? crc32c(body) : crc;
    try {
      // A small file is sent and completed by one request; its digest is that of the whole file.
      const whole = this.#completeWhenSent && range.start === 0 && range.end === file.found.bytes;
      const divisible = this.#pace.canCut(bytes.length);
      const sent = { offset: range.start, body, digest, encoding, whole, divisible };
      const answer = await this.#api.append((file.remote as RemoteFile).fileId, sent);
      file.completed = answer.complete;
      this.#pace.measured(bytes.length, answer.ms);
      this.#events.acknowledged(bytes.length, answer.epoch);
      file.promise(answer.offset);
      return true;
    } catch (error) {
      if (!(error instanceof RangeCut)) throw error;
      this.#pace.cut(bytes.length);
      file.giveBack(range);
      return false;
    }
  }

  /**
   * Declares to the server that no more bytes follow. Nothing else of the file may be in flight.
   */
  async complete(file: FileUpload, scratch: Scratch): Promise<void> {
    const { found } = file;
    // A file that was removed, or is no longer readable, is complete as it was read.
    const now = await stat(found.path).catch(() => null);
    const changed =
      now !== null &&
      (fileIdentity(now) !== found.identity || now.size < found.bytes || (now.size === found.bytes && now.mtimeMs !== found.mtimeMs));
    // What was sent a while ago may have changed, whatever the file's timestamps say: network file
    // systems fill holes late.
    const mayDiffer = changed || (now !== null && !this.#completeWhenSent && !(await this.#isAsSent(file, scratch)));
    if (mayDiffer && file.rechecks++ < maxRechecks) {
      file.reconsider(foundAgain(found, now));
      return;
    }
    if (!file.completed) {
      const epoch = await this.#api.complete((file.remote as RemoteFile).fileId, file.checkedBytes, file.crc);
      this.#events.acknowledged(0, epoch);
      file.promise(file.checkedBytes);
      file.completed = true;
    }
    file.settle();
  }

  async close(file: FileUpload): Promise<void> {
    const handle = this.#open.get(file);
    this.#open.delete(file);
    await (await handle)?.close();
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

  /**
   * Whether the server's durable prefix is a prefix of the local file. The scan's state is
   * outdated: while the file grows, another client may have sent more than it had then. So the file
   * is checked again if the server has more, or has contradicted.
   */
  async #compare(file: FileUpload, scratch: Scratch, remote: RemoteFile): Promise<'same' | 'shorter' | 'other'> {
    file.compared = [];
    if (remote.offset === 0 && !file.conflict) return 'same';
    const handle = await this.#handle(file);
    if (remote.offset > file.found.bytes || file.conflict) file.found = foundAgain(file.found, await handle.stat());
    if (remote.offset > file.found.bytes) return 'shorter';
    const blocks = await readBlocks(handle, 0, remote.offset, scratch.take(remote.offset));
    if (blocks !== null && crcOfBlocks(blocks) === remote.crc32c) {
      file.compared = blocks;
      return 'same';
    }
    if (blocks !== null) return 'other';
    file.found = foundAgain(file.found, await handle.stat());
    return 'shorter';
  }

  /**
   * Whether a file that looks shorter may be one that this machine does not see completely, or that
   * is being copied over. Then it is put aside, but not forever: it may really have been shortened.
   */
  async #doubts(file: FileUpload, scratch: Scratch, remote: RemoteFile): Promise<boolean> {
    const seenHere = file.sawHere(remote);
    if (seenHere && !(await this.#beginsAsSent(file, scratch))) return false;
    const now = this.#now();
    const state = stateOf(file.found);
    if (file.doubt === null) {
      // For a version that came back, nothing is left to send.
      const whole = seenHere ? null : await this.#otherVersion(file, scratch, remote);
      if (whole?.offset === file.found.bytes) return false;
      file.doubt = { since: now, still: now, state };
      if (!seenHere)
        this.#events.say(
          `${file.label} is shorter here than what was uploaded under its name: checking again for ${doubtMs / 1000} s, in case another machine sees more of it.`,
        );
    } else if (seenHere && file.doubt.state !== state) {
      file.doubt = { ...file.doubt, still: now, state };
    }
    if (now - file.doubt.still >= doubtMs || now - file.doubt.since >= mostDoubtMs) return false;
    file.putAside();
    return true;
  }

  /** Whether a shorter file is a prefix of what was sent, according to a cheap check. */
  async #beginsAsSent(file: FileUpload, scratch: Scratch): Promise<boolean> {
    const { bytes } = file.found;
    const handle = await this.#handle(file);
    const sent = file.blocks[0]?.head?.subarray(0, bytes) ?? new Uint8Array(0);
    const here = scratch.take(Math.max(sent.length, 1)).subarray(0, sent.length);
    if ((await handle.read(here, 0)) < here.length || Buffer.compare(here, sent) !== 0) return false;
    let [last, at, end] = [-1, 0, 0];
    for (const [i, block] of file.blocks.entries()) {
      if (end + block.length > bytes) break;
      [last, at, end] = [i, end, end + block.length];
    }
    return last < 0 || this.#blockIsSame(file, scratch, last, at);
  }

  /**
   * Whether what was sent is unchanged, according to a cheap check: the start, the end, and blocks
   * that contained zeros, which may have been holes. `sample`: one more block, a different one each
   * time.
   */
  async #looksSame(file: FileUpload, scratch: Scratch, sample: boolean): Promise<boolean> {
    const { blocks } = file;
    const wanted = new Set<number>();
    if (!sample) {
      wanted.add(0);
      for (let i = blocks.length - 1, behind = 0; i >= 0 && behind < tailBytes; i--) {
        wanted.add(i);
        behind += blocks[i]!.length;
      }
    } else {
      wanted.add(file.nextSample++ % Math.max(blocks.length, 1));
    }
    const zeros = blocks.flatMap((block, i) => (block.zeros ? [i] : []));
    for (let i = 0; i < Math.min(mostZeroBlocks, zeros.length); i++) wanted.add(zeros[file.nextZeros++ % zeros.length]!);
    let at = 0;
    for (const [i, block] of blocks.entries()) {
      if (wanted.has(i) && !(await this.#blockIsSame(file, scratch, i, at))) return false;
      at += block.length;
    }
    return true;
  }

  async #blockIsSame(file: FileUpload, scratch: Scratch, index: number, at: number): Promise<boolean> {
    const block = file.blocks[index]!;
    const crc = await (await this.#handle(file)).checksum(at, at + block.length, scratch.take(blockBytes));
    return crc === block.crc;
  }

  /** The full check: is everything that was sent unchanged? */
  async #isAsSent(file: FileUpload, scratch: Scratch): Promise<boolean> {
    const crc = await (await this.#handle(file)).checksum(0, file.checkedBytes, scratch.take(file.checkedBytes));
    return crc === file.crc;
  }

  /**
   * Zeros among new bytes of a file that is being written may be a hole whose content this machine
   * does not see yet, or preallocated space. The bytes before them are sent now; they and the rest
   * a moment later.
   */
  async #holdZeros(file: FileUpload, scratch: Scratch): Promise<void> {
    const { found } = file;
    const from = Math.max(file.zerosUpTo, file.checkedBytes);
    const held = file.zeros;
    file.zeros = null;
    if (found.bytes <= from || this.#wallClock() - found.mtimeMs >= oldMs) return;
    const bytes = scratch.take(found.bytes - from);
    const start = found.bytes - bytes.length;
    const read = await (await this.#handle(file)).read(bytes, start);
    const zeros = findZeros(bytes.subarray(0, read), start);
    if (!zeros) return;
    const now = this.#now();
    const state = stateOf(found);
    const same = held?.at === zeros.at ? held : null;
    const since = same?.since ?? now;
    const still = same?.state === state ? same.still : now;
    if (now - (zeros.atEnd ? still : since) >= zerosMs) {
      file.zerosUpTo = found.bytes;
      return;
    }
    file.zeros = { at: zeros.at, since, still, state };
    file.found = { ...found, bytes: zeros.at };
  }

  /**
   * Two machines may upload different files with the same name, and a replaced file may come back:
   * this file may be another version.
   */
  async #otherVersion(file: FileUpload, scratch: Scratch, latest: RemoteFile): Promise<RemoteFile | null> {
    if (latest.version <= 1) return null;
    const others = (await this.#versions(file)).filter(({ fileId }) => fileId !== latest.fileId);
    others.sort((a, b) => b.offset - a.offset || b.version - a.version);
    for (const other of others) if ((await this.#compare(file, scratch, other)) === 'same') return other;
    return null;
  }

  /** The server's versions of the file's name. */
  async #versions({ found: { run, name } }: FileUpload): Promise<RemoteFile[]> {
    const listed = (await this.#api.files(this.#experimentId)).filter((file) => file.run === run && file.name === name);
    return listed.map((file) => ({ fileId: file.fileId, version: file.version, offset: file.bytes, crc32c: file.crc32c, created: false }));
  }

  /**
   * A separate version for the file. Another machine with the same file uses the same key, and gets
   * the same version; one with a different file of that name gets its own. Null: the file is lost,
   * or must be announced again.
   */
  async #newVersion(file: FileUpload, scratch: Scratch, latest: RemoteFile): Promise<RemoteFile | null> {
    const { run, name } = file.found;
    for (let before = latest; ;) {
      file.beginVersion();
      if (file.lost) return null;
      const beginning = await beginningCrc32c(await this.#handle(file));
      const made = await this.#api.announce(this.#experimentId, { run, name }, `after-${before.fileId}-${beginning}`);
      if (made.created) return made;
      // It was created earlier, and the response is as old: other clients may have sent to it
      // since.
      const now = (await this.#versions(file)).find(({ fileId }) => fileId === made.fileId);
      const here = now ? await this.#compare(file, scratch, now) : 'other';
      if (now && here === 'same') return now;
      if (here === 'shorter') return null;
      before = made;
    }
  }

  /** The server's current state of that version; null if it was deleted. */
  async #asOfNow(file: FileUpload, { fileId }: RemoteFile): Promise<RemoteFile | null> {
    const { run, name, bytes } = file.found;
    const latest = await this.#api.announce(this.#experimentId, { run, name, length: bytes });
    return latest.fileId === fileId ? latest : ((await this.#versions(file)).find((version) => version.fileId === fileId) ?? null);
  }

  #handle(file: FileUpload): Promise<EventFile> {
    let handle = this.#open.get(file);
    if (!handle) {
      handle = EventFile.open(file.found.path);
      // A failed open is reported to the caller that awaits it, and must be retried.
      handle.catch(() => this.#open.delete(file));
      this.#open.set(file, handle);
    }
    return handle;
  }
}

/** The file does not start with a record: its bytes are not sent. */
export class NoEventFile extends Error {
  override readonly name = 'NoEventFile';

  constructor() {
    super('no longer begins with an event file record; not sent');
  }
}

/** Identifies an unchanged file, as far as size and timestamps show. */
function stateOf({ identity, bytes, mtimeMs }: FoundFile): string {
  return `${identity} ${bytes} ${mtimeMs}`;
}

/** Whether an error concerns one file only, so that the others can continue. */
export function concernsOneFile(error: unknown): error is Error {
  // 410: its run was deleted; then its announcement is void.
  if (error instanceof ApiError) return [400, 410, 413, 415, 422].includes(error.status) || error.code === 'file-not-found';
  if (error instanceof NoEventFile) return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return (
    error instanceof Error &&
    syscall !== undefined &&
    ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EIO', 'ELOOP', 'EISDIR', 'ESTALE'].includes(code ?? '')
  );
}
