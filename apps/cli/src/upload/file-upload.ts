import { combineCrc32c } from '#records';
import type { FilePosition, RemoteFile } from '../http/api.ts';
import { addBlocks, type Block, crcOfBlocks } from '../local/block-digests.ts';
import { fileLabel } from '../local/file-label.ts';
import type { FoundFile } from '../local/scan.ts';

/**
 * Bytes [start, end) to read; `send` is false if the server already has them and they only
 * contribute to the checksum.
 */
export interface RangeToDo {
  readonly start: number;
  readonly end: number;
  readonly send: boolean;
}

/**
 * The state of one file:
 * ```
 *                  ┌──────────── replaced ─────────────┐
 *                  ▼                                   │
 *             announce ───▶ send ───▶ complete ───▶ settled
 *              ▲   ▲         │ ▲                       │
 *              │   └ conflict┘ └────── grown ◀─ grows ─┘
 *              └──── other bytes ──────── ┘
 * ```
 * `grown`: before more bytes are sent, check that it is still the same file. A watcher skips
 * `complete` until it expects no more bytes. `sample`: checks a settled file, in case uploaded
 * bytes have changed. `failed` is final for a file that the server rejects or that cannot be read;
 * a change to the file restarts it. `doubted`: the server has more bytes than this machine sees, or
 * the file contains zeros that may be a hole; the file is checked again a moment later.
 */
export type Phase = 'announce' | 'doubted' | 'grown' | 'send' | 'complete' | 'settled' | 'sample' | 'failed';

/** The default window for a server that has not announced one: small enough for any server. */
const cautiousWindowBytes = 64 * 1024 * 1024;
/**
 * How often the server may contradict us without progress before the local file counts as a
 * different file.
 */
const maxConflicts = 3;
/**
 * Maximum new versions before the file has been uploaded completely once. Beyond this, the file is
 * being rewritten faster than it can be read, or the server rejects every attempt.
 */
const maxVersions = 3;

/**
 * The state of one file's upload: which ranges are handed out and acknowledged, and the checksum so
 * far. Does no I/O.
 */
export class FileUpload {
  /**
   * The file's last state that a scan or a step observed; `found.bytes` is how far this pass
   * uploads.
   */
  found: FoundFile;
  /** The last scan result that was used. */
  scanned: FoundFile;
  phase: Phase = 'announce';
  remote: RemoteFile | null = null;
  /** Durable bytes on the server, as last reported. */
  acknowledged = 0;
  /** Number of running steps of this file. */
  inFlight = 0;
  completed = false;
  /** How often the file changed during its upload. */
  rechecks = 0;
  /** Digests of the uploaded bytes when they were compared or sent. */
  compared: readonly Block[] = [];
  /**
   * Whether some counted bytes were neither sent nor compared by this process. If so, the server's
   * checksum must be compared again.
   */
  unverified = false;
  /**
   * If the server has more bytes than this machine sees: when that started, how long the state has
   * been the same, and that state. Times are monotonic; null if there is no such doubt.
   */
  doubt: { readonly since: number; readonly still: number; readonly state: string } | null = null;
  /**
   * Zeros that are not sent yet: their position, when they were first seen, and the state of the
   * file.
   */
  zeros: { readonly at: number; readonly since: number; readonly still: number; readonly state: string } | null = null;
  /** The wait for zeros before this position is over. */
  zerosUpTo = 0;
  /** Index of the next block to sample. */
  nextSample = 0;
  /** Index of the next block with zeros to check. */
  nextZeros = 0;

  #conflict = false;
  #counted = false;
  #conflictsInARow = 0;
  #versions = 0;
  #next = 0;
  /** Ranges that were handed out but not sent. */
  #givenBack: RangeToDo[] = [];
  #window = cautiousWindowBytes;
  #kept: FilePosition['kept'] = [];
  /**
   * The first range is sent alone: if another client sends a different file to the same version,
   * the server rejects one of the two first ranges, before any later range of that file has
   * arrived. If both files start with the same range, both may continue until they differ. Then
   * each client creates its own version, and the version with parts of both files is never
   * completed.
   */
  #first: 'to take' | 'on its way' | 'done' = 'to take';
  #crc = 0;
  #crcUpTo = 0;
  #blocks: Block[] = [];
  readonly #ahead = new Map<number, { end: number; blocks: readonly Block[] }>();

  constructor(found: FoundFile) {
    this.found = found;
    this.scanned = found;
  }

  /** See {@link fileLabel}. */
  get label(): string {
    return fileLabel(this.found);
  }

  /** CRC-32C over the first {@link checkedBytes} bytes. */
  get crc(): number {
    return this.#crc;
  }

  get checkedBytes(): number {
    return this.#crcUpTo;
  }

  /** Digests of these bytes. */
  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /**
   * Whether the server contradicted our state. If so, the file must be announced again once nothing
   * is in flight.
   */
  get conflict(): boolean {
    return this.#conflict;
  }

  /**
   * Whether the server kept contradicting us although the checksums match, so only a new version
   * can help.
   */
  get hopeless(): boolean {
    return this.#conflictsInARow > maxConflicts;
  }

  /** Whether new versions did not help either. */
  get lost(): boolean {
    return this.#conflictsInARow > 2 * maxConflicts || this.#versions > maxVersions;
  }

  /** Whether every byte of this pass was handed out. */
  get allTaken(): boolean {
    return this.#next >= this.found.bytes && this.#givenBack.length === 0;
  }

  /** Whether {@link take} would return a range. */
  get canTake(): boolean {
    if (this.phase !== 'send' || this.#conflict || this.allTaken || this.#first === 'on its way') return false;
    if (this.#givenBack.length > 0) return true;
    return this.#next <= this.acknowledged || this.#next < this.acknowledged + this.#window;
  }

  /** Resumes (or starts) after the server's durable prefix, which equals the local prefix. */
  resume(remote: RemoteFile, position: FilePosition | null): void {
    this.remote = remote;
    this.acknowledged = remote.offset;
    this.#next = remote.offset;
    this.#crc = remote.crc32c;
    this.#crcUpTo = remote.offset;
    this.#blocks = [...this.compared];
    this.compared = [];
    this.#ahead.clear();
    this.#givenBack = [];
    this.#first = 'to take';
    this.#kept = position?.kept ?? [];
    this.#window = position?.window ?? cautiousWindowBytes;
    this.#conflict = false;
    this.completed = false;
    this.doubt = null;
    this.phase = 'send';
  }

  /**
   * Hands out the next range of at most `maxBytes`, or null if everything is handed out or a
   * response must arrive first.
   */
  take(maxBytes: number): RangeToDo | null {
    if (!this.canTake) return null;
    if (this.#first === 'to take') this.#first = 'on its way';
    const returned = this.#givenBack.shift();
    if (returned) {
      const end = Math.min(returned.end, returned.start + maxBytes);
      if (end < returned.end) this.#givenBack.unshift({ ...returned, start: end });
      return { ...returned, end };
    }
    const start = this.#next;
    let end = Math.min(start + maxBytes, this.found.bytes);
    let send = true;
    for (const kept of this.#kept) {
      if (kept.start <= start && start < kept.end) {
        send = false;
        this.unverified = true;
        end = Math.min(end, kept.end);
      } else if (kept.start > start) {
        // A range that overlaps a kept range is rejected (api.md, range-conflict).
        end = Math.min(end, kept.start);
      }
    }
    this.#next = end;
    return { start, end, send };
  }

  /**
   * The range did not reach the server: it is handed out again, split into smaller ranges if
   * needed.
   */
  giveBack(range: RangeToDo): void {
    this.#givenBack.push(range);
    if (this.#first === 'on its way') this.#first = 'to take';
  }

  /** The bytes of a range are on the server, with these digests. Ranges may arrive in any order. */
  done(range: RangeToDo, blocks: readonly Block[]): void {
    this.#first = 'done';
    this.#ahead.set(range.start, { end: range.end, blocks });
    for (let part = this.#ahead.get(this.#crcUpTo); part; part = this.#ahead.get(this.#crcUpTo)) {
      this.#ahead.delete(this.#crcUpTo);
      this.#crc = combineCrc32c(this.#crc, crcOfBlocks(part.blocks), part.end - this.#crcUpTo);
      this.#crcUpTo = part.end;
      addBlocks(this.#blocks, part.blocks);
    }
  }

  /** A response acknowledged everything below `offset`; this value never decreases. */
  promise(offset: number): void {
    if (offset > this.acknowledged) this.#conflictsInARow = 0;
    this.acknowledged = Math.max(this.acknowledged, offset);
  }

  /** Starts a new version. */
  beginVersion(): void {
    this.#versions++;
  }

  /** Everything is uploaded. */
  settle(): void {
    this.phase = 'settled';
    this.rechecks = 0;
    this.#conflictsInARow = 0;
    this.#versions = 0;
  }

  /** Postpones the file to a later check. This does not count as a contradiction. */
  postpone(): void {
    this.phase = 'doubted';
    this.#conflict = false;
    this.#conflictsInARow = 0;
  }

  /** Resumes a file that was postponed. */
  takeUp(): void {
    this.phase = this.zeros ? 'grown' : 'announce';
  }

  /** Whether some sent bytes contained zeros that may have been holes. */
  get hasZeros(): boolean {
    return this.#blocks.some((block) => block.zeros);
  }

  fail(): void {
    this.phase = 'failed';
    this.doubt = null;
    this.#conflict = false;
    this.#conflictsInARow = 0;
    this.#versions = 0;
  }

  /**
   * The server's response contradicts our state. Counted once until the file is announced again,
   * because one cause can make the server reject all ranges in flight.
   */
  contradicted(): void {
    this.#conflict = true;
    if (!this.#counted) this.#conflictsInARow++;
    this.#counted = true;
  }

  /** The file is announced (again): further contradictions count again. */
  askAgain(): void {
    this.#counted = false;
  }

  /**
   * The server's response to the announcement. If the server has more bytes than we knew, another
   * client is uploading the same file, and its first range arrived before ours.
   */
  heard(remote: RemoteFile): void {
    if (remote.fileId === this.remote?.fileId && remote.offset > this.acknowledged) this.#conflictsInARow = 0;
  }

  /**
   * Whether this process saw the first `offset` bytes of that version locally. If so, a file that
   * is now shorter was really shortened.
   */
  sawHere(remote: RemoteFile): boolean {
    return remote.fileId === this.remote?.fileId && remote.offset <= this.#crcUpTo;
  }

  /** The scan found more bytes after the known bytes. */
  grow(found: FoundFile): void {
    this.found = found;
    this.phase = 'grown';
  }

  /** The file may now be a different file: compare it with the server again. */
  reconsider(found: FoundFile): void {
    this.found = found;
    this.doubt = null;
    this.zeros = null;
    this.zerosUpTo = 0;
    this.phase = 'announce';
  }
}
