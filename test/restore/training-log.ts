import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesField, joinBytes, stringField, varintField, writeEventFile } from '#testing';

/**
 * A run logs at most one image per this many steps, and at most this many images; each image
 * becomes an object.
 */
const leastStepsPerImage = 20;
const maxImages = 4_000;

/** A log of several runs that a test writes gradually while it is uploaded. */
export class TrainingLog {
  readonly folder: string;
  readonly #files: { readonly path: string; readonly bytes: Uint8Array; written: number }[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** `steps` of each run; nothing is written yet. */
  static async make(folder: string, runs: number, steps: number): Promise<TrainingLog> {
    const log = new TrainingLog(folder);
    const imageEvery = Math.max(leastStepsPerImage, Math.ceil(steps / maxImages));
    for (let run = 0; run < runs; run++) {
      const bytes = writeEventFile(
        Array.from({ length: steps }, (_, step) => ({
          step,
          wallTime: 1_700_000_000 + step,
          scalars: { loss: Math.sin(step * (run + 1)), accuracy: step / steps },
          values: step % imageEvery === 0 ? [image('sample', Buffer.from(`image ${step} of run ${run}`))] : [],
        })),
      );
      await mkdir(join(folder, `run-${run}`), { recursive: true });
      log.#files.push({ path: join(folder, `run-${run}`, 'events.out.tfevents.1700000000.a'), bytes, written: 0 });
    }
    return log;
  }

  /** The fraction of the log that is written, from 0 to 1. */
  get share(): number {
    return this.#files.reduce((sum, { bytes, written }) => sum + written / bytes.length, 0) / this.#files.length;
  }

  /** Appends this part of each file. */
  async write(share: number): Promise<void> {
    for (const file of this.#files) {
      const end = Math.min(file.bytes.length, file.written + Math.ceil(file.bytes.length * share));
      await appendFile(file.path, file.bytes.subarray(file.written, end));
      file.written = end;
    }
  }
}

/**
 * Summary.Value: tag = 1, image = 4 {height = 1, width = 2, colorspace = 3, encoded_image_string =
 * 4}.
 */
function image(tag: string, encoded: Uint8Array): Uint8Array {
  return joinBytes(
    stringField(1, tag),
    bytesField(4, joinBytes(varintField(1, 1), varintField(2, 1), varintField(3, 3), bytesField(4, encoded))),
  );
}
