import type { RemoteFile } from '../http/api.ts';
import { findZeros } from '../local/block-digests.ts';
import type { FoundFile } from '../local/scan.ts';
import type { FileChecks } from './file-checks.ts';
import type { FileUpload } from './file-upload.ts';
import type { FileVersions } from './file-versions.ts';
import type { OpenFiles } from './open-files.ts';
import type { Scratch } from './scratch.ts';

/**
 * How long a file is rechecked before it counts as shorter: shared file systems can show an old
 * size for a few seconds.
 */
const doubtMs = 20_000;
/**
 * Maximum wait for a file that was shortened while watched and grows again with the same bytes: it
 * is being overwritten by a copy.
 */
const maxDoubtMs = 120_000;
/**
 * How long zeros that may be a hole are not sent: network file systems can show them for a few
 * seconds, and some writers preallocate space.
 */
const zerosMs = 10_000;
/**
 * A file that was last modified this long ago is no longer being written: its zeros are content.
 */
const oldMs = 60_000;

/** Decides how long to wait when this machine may not see a file's true content. */
export class FileDoubts {
  readonly #files: OpenFiles;
  readonly #checks: FileChecks;
  readonly #versions: FileVersions;
  readonly #say: (line: string) => void;
  readonly #now: () => number;
  readonly #wallClock: () => number;

  constructor(options: {
    files: OpenFiles;
    checks: FileChecks;
    versions: FileVersions;
    say: (line: string) => void;
    now: () => number;
    wallClock: () => number;
  }) {
    this.#files = options.files;
    this.#checks = options.checks;
    this.#versions = options.versions;
    this.#say = options.say;
    this.#now = options.now;
    this.#wallClock = options.wallClock;
  }

  /**
   * Whether a file that looks shorter may be only partly visible to this machine, or is being
   * overwritten by a copy. Such a file is postponed for a limited time, because it may really have
   * been shortened.
   */
  async postpones(file: FileUpload, scratch: Scratch, remote: RemoteFile): Promise<boolean> {
    const seenHere = file.sawHere(remote);
    if (seenHere && !(await this.#checks.beginsAsSent(file, scratch))) return false;
    const now = this.#now();
    const state = stateOf(file.found);
    if (file.doubt === null) {
      // If an earlier version has come back, nothing is left to send.
      const whole = seenHere ? null : await this.#versions.findOther(file, scratch, remote);
      if (whole?.offset === file.found.bytes) return false;
      file.doubt = { since: now, still: now, state };
      if (!seenHere)
        this.#say(
          `${file.label} is shorter here than the file uploaded under its name: checking again for ${doubtMs / 1000} s, in case another machine sees a longer file.`,
        );
    } else if (seenHere && file.doubt.state !== state) {
      file.doubt = { ...file.doubt, still: now, state };
    }
    if (now - file.doubt.still >= doubtMs || now - file.doubt.since >= maxDoubtMs) return false;
    file.postpone();
    return true;
  }

  /**
   * Zeros among new bytes of a file that is being written may be a hole whose content this machine
   * does not see yet, or preallocated space. The bytes before the zeros are sent now, the zeros and
   * the rest a moment later.
   */
  async holdZeros(file: FileUpload, scratch: Scratch): Promise<void> {
    const { found } = file;
    const from = Math.max(file.zerosUpTo, file.checkedBytes);
    const held = file.zeros;
    file.zeros = null;
    if (found.bytes <= from || this.#wallClock() - found.mtimeMs >= oldMs) return;
    const bytes = scratch.take(found.bytes - from);
    const start = found.bytes - bytes.length;
    const read = await (await this.#files.handle(file)).read(bytes, start);
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
}

/** Identifies an unchanged file, as far as size and timestamps show. */
function stateOf({ identity, bytes, mtimeMs }: FoundFile): string {
  return `${identity} ${bytes} ${mtimeMs}`;
}
