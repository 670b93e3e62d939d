import { combineCrc32c } from '#records';
import type { FilePosition, RemoteFile } from '../http/api.ts';
import { addBlocks, type Block, crcOfBlocks } from '../local/block-digests.ts';
import { fileLabel } from '../local/file-label.ts';
import type { FoundFile } from '../local/scan.ts';

/** Bytes [start, end) to read; `send` is false where the server keeps them already and they only count into the checksum. */
export interface RangeToDo {
  readonly start: number;
  readonly end: number;
  readonly send: boolean;
}

/**
 * Where one file stands:
 * ```
 *                  ┌──────────── replaced ─────────────┐
 *                  ▼                                   │
 *             announce ───▶ send ───▶ complete ───▶ settled
 *              ▲   ▲         │ ▲                       │
 *              │   └ conflict┘ └────── grown ◀─ grows ─┘
 *              └──── other bytes ──────── ┘
 * ```
 * `grown`: before more bytes are sent, look whether it is still the same file. A watcher skips `complete` until it expects no more.
 * `sample`: a settled file is looked at, in case bytes of it have changed that are at the server.
 * `failed` is the end of a file that the server refuses or that cannot be read; a change of the file starts it again.
 * `doubted`: the server has more of it than can be seen here, or zeros stand where more may be to come; it is looked at again a moment later.
 */
export type Phase = 'announce' | 'doubted' | 'grown' | 'send' | 'complete' | 'settled' | 'sample' | 'failed';

/** A window for a server that has not told its own: small enough for any. */
const cautiousWindowBytes = 64 * 1024 * 1024;
/** Contradictions by the server without any progress before the file is taken for another one than the server has. */
const maxConflicts = 3;
/** New versions before the file has been uploaded whole once: it is rewritten faster than it can be read, or the server cannot be satisfied. */
const maxVersions = 3;

/** The bookkeeping of one file's upload: which ranges are handed out, acknowledged, and what the checksum so far is. Does no I/O. */
export class FileUpload {
  /** What was seen of it last, by a scan or by a step; `found.bytes` is how far this pass uploads. */
  found: FoundFile;
  /** What the last scan that was taken up saw. */
  scanned: FoundFile;
  phase: Phase = 'announce';
  remote: RemoteFile | null = null;
  /** Durable at the server, as far as it told us. */
  acknowledged = 0;
  /** Steps under way for this file. */
  inFlight = 0;
  completed = false;
  /** How often the file was seen to change while it was uploaded. */
  rechecks = 0;
  /** What the bytes that are at the server were, when they were compared or sent. */
  compared: readonly Block[] = [];
  /** Bytes count that this process did not send or compare: the server's checksum must be compared once more. */
  unverified = false;
  /** The server has more of it than can be seen here: since when, since when it looks as it does, and how that is. On the monotonic clock; null while there is no such doubt. */
  doubt: { readonly since: number; readonly still: number; readonly state: string } | null = null;
  /** Zeros that are not sent yet: where, since when, and how the file looked. */
  zeros: { readonly at: number; readonly since: number; readonly still: number; readonly state: string } | null = null;
  /** Zeros before this were waited for. */
  zerosUpTo = 0;
  /** Which block the next sample is of. */
  nextSample = 0;
  /** Which of the blocks that held zeros is looked at next. */
  nextZeros = 0;

  #conflict = false;
  #counted = false;
  #conflictsInARow = 0;
  #versions = 0;
  #next = 0;
  /** Ranges that were handed out and not brought to the server. */
  #givenBack: RangeToDo[] = [];
  #window = cautiousWindowBytes;
  #kept: FilePosition['kept'] = [];
  /**
   * The first range goes alone: where somebody else sends another file into the same version, the server refuses one of the two first ranges, and
   * nothing of that file has arrived behind it. Where the two begin with the same range, both may go on until they differ: then each of them makes a
   * version of its own, and the one that holds something of both is never complete.
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

  /** The server contradicted what we believe: announce the file again once nothing is in flight. */
  get conflict(): boolean {
    return this.#conflict;
  }

  /** The server went on contradicting although the checksums agree: only a new version can help. */
  get hopeless(): boolean {
    return this.#conflictsInARow > maxConflicts;
  }

  /** Not even new versions helped. */
  get lost(): boolean {
    return this.#conflictsInARow > 2 * maxConflicts || this.#versions > maxVersions;
  }

  /** Every byte of this pass was handed out. */
  get allTaken(): boolean {
    return this.#next >= this.found.bytes && this.#givenBack.length === 0;
  }

  /** {@link take} would give a range. */
  get canTake(): boolean {
    if (this.phase !== 'send' || this.#conflict || this.allTaken || this.#first === 'on its way') return false;
    if (this.#givenBack.length > 0) return true;
    return this.#next <= this.acknowledged || this.#next < this.acknowledged + this.#window;
  }

  /** Goes on (or starts) behind the server's durable prefix, which equals the local one. */
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

  /** Hands out the next range of at most `maxBytes`, or null: everything is handed out, or an answer has to come first. */
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
        // A range that overlaps a kept one is refused (api.md, range-conflict).
        end = Math.min(end, kept.start);
      }
    }
    this.#next = end;
    return { start, end, send };
  }

  /** The range did not reach the server: it is handed out again, in smaller ones if need be. */
  giveBack(range: RangeToDo): void {
    this.#givenBack.push(range);
    if (this.#first === 'on its way') this.#first = 'to take';
  }

  /** The bytes of a range are at the server, and these are their digests. Ranges may come in any order. */
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

  /** An answer promised everything below `offset`; promises are never taken back. */
  promise(offset: number): void {
    if (offset > this.acknowledged) this.#conflictsInARow = 0;
    this.acknowledged = Math.max(this.acknowledged, offset);
  }

  /** A new version is begun. */
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

  /** It is looked at again a moment later; nobody has contradicted. */
  putAside(): void {
    this.phase = 'doubted';
    this.#conflict = false;
    this.#conflictsInARow = 0;
  }

  /** Takes up a file that was put aside. */
  takeUp(): void {
    this.phase = this.zeros ? 'grown' : 'announce';
  }

  /** Some of what was sent held zeros that may have been holes. */
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

  /** What the server said does not fit what we believe. Until it is asked again this counts once: one cause may refuse all ranges in flight. */
  contradicted(): void {
    this.#conflict = true;
    if (!this.#counted) this.#conflictsInARow++;
    this.#counted = true;
  }

  /** The file is announced (again): from here on a contradiction is a new one. */
  askAgain(): void {
    this.#counted = false;
  }

  /** What the server answered to that. It has more than we knew: somebody else uploads the same file, and what they sent first was refused to us. */
  heard(remote: RemoteFile): void {
    if (remote.fileId === this.remote?.fileId && remote.offset > this.acknowledged) this.#conflictsInARow = 0;
  }

  /** Did this process see the first `offset` bytes of that version here? A file that is shorter now was shortened. */
  sawHere(remote: RemoteFile): boolean {
    return remote.fileId === this.remote?.fileId && remote.offset <= this.#crcUpTo;
  }

  /** The scan sees more bytes behind the ones that are known. */
  grow(found: FoundFile): void {
    this.found = found;
    this.phase = 'grown';
  }

  /** The file may be another one now: compare with the server again. */
  reconsider(found: FoundFile): void {
    this.found = found;
    this.doubt = null;
    this.zeros = null;
    this.zerosUpTo = 0;
    this.phase = 'announce';
  }
}
