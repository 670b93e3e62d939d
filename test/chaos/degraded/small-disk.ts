import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MiB = 1024 * 1024;

/** A separate in-memory disk. Only root can create it. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async mount(megabytes: number): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'plotline-disk-'));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'plotline-test', folder]);
    } catch (error) {
      await rm(folder, { recursive: true });
      throw error;
    }
    return new SmallDisk(folder);
  }

  /** Whether this process can create an in-memory disk. */
  static async isPossible(): Promise<boolean> {
    try {
      await (await SmallDisk.mount(1)).unmount();
      return true;
    } catch {
      return false;
    }
  }

  get free(): Promise<number> {
    return statfs(this.folder).then(({ bavail, bsize }) => bavail * bsize);
  }

  /** Fills the disk up to the last `left` bytes. */
  async fill(left = 0): Promise<void> {
    const file = await open(join(this.folder, 'ballast'), 'a');
    try {
      const zeros = Buffer.alloc(MiB);
      for (let over = (await this.free) - left; over > 0; over = (await this.free) - left)
        await file.write(zeros, 0, Math.min(over, zeros.length));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await file.close();
    }
  }

  /** Frees the space again. */
  async freeSpace(): Promise<void> {
    await rm(join(this.folder, 'ballast'), { force: true });
  }

  async unmount(): Promise<void> {
    await run('umount', ['-l', this.folder]);
    await rm(this.folder, { recursive: true });
  }
}
