import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { FileBatch } from '#model';
import { PointCollector } from '#points';
import { RecordReader } from '#records';
import { frameRecord } from '#records/testing';
import { seededRandom } from '#testing';
import { logDirectory } from '../logs/log-directories.ts';
import { findRuns } from '../logs/parse-run.ts';

/**
 * Real event files with random damage. `FUZZ_FILES` sets their number, `FUZZ_SEED` selects them; a
 * failure prints the seed of its file, and `FUZZ_SEED=<seed> FUZZ_FILES=1` reads that file again.
 *
 * Half of the files are damaged as a disk would damage them, so most end at a checksum. The other
 * half have damaged records with valid frames, so that the damage reaches the event reader.
 */
const files = Number(process.env['FUZZ_FILES'] ?? 2_000);
const firstSeed = Number(process.env['FUZZ_SEED'] ?? 1);
/**
 * Longer files are cut to this many bytes of complete records; damage has the same effect in the
 * shorter files.
 */
const maxFileBytes = 24 * 1024;
const maxRssGrowthBytes = 256 * 1024 * 1024;

it(
  `reads ${files} mutated event files without a crash, and with the same result for any cut into pieces`,
  { timeout: 60_000 + files * 20 },
  async () => {
    const originals = await originalFiles();
    const before = process.memoryUsage().rss;
    let peak = before;
    let [ended, skipped, points] = [0, 0, 0];
    for (let seed = firstSeed; seed < firstSeed + files; seed++) {
      const random = randomNumbers(seed);
      const file = mutate(originals[random(originals.length)]!, random);
      const batch = readFileIn(file, [file.length]);
      const cuts = Array.from({ length: random(6) }, () => random(file.length + 1)).sort((a, b) => a - b);
      const again = readFileIn(file, [...cuts, file.length]);
      if (summary(batch) !== summary(again)) throw new Error(`seed ${seed}: cut at ${cuts.join(', ')} the file reads differently`);
      if (batch.problems.some(({ endsFile }) => endsFile)) ended++;
      skipped += batch.problems.filter(({ endsFile }) => !endsFile).length;
      for (const { scalars, tensors, blobSequences } of batch.series)
        points += (scalars?.steps.length ?? 0) + tensors.length + blobSequences.length;
      if (seed % 64 === 0) peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(peak - before).toBeLessThan(maxRssGrowthBytes);
    // The mutations must cover everything: files that end, skipped records, points that are read.
    if (files >= 100) {
      expect(ended).toBeGreaterThan(files / 20);
      expect(skipped).toBeGreaterThan(files / 20);
      expect(points).toBeGreaterThan(files);
    }
    if (process.env['FUZZ_FILES'] !== undefined) {
      process.stdout.write(
        `${files} files: ${ended} ended early, ${skipped} records or values skipped, ${points} points, RSS grew by ${((peak - before) / 2 ** 20).toFixed(0)} MiB\n`,
      );
    }
  },
);

/** Reads the first records of each real file. */
async function originalFiles(): Promise<Uint8Array[][]> {
  const all: Uint8Array[][] = [];
  for (const name of ['tf1_legacy', 'tf2_summaries', 'torch', 'tensorboardx', 'keras_hparams', 'frameworks'] as const) {
    for (const path of [...(await findRuns(await logDirectory(name))).values()].flat()) {
      const records: Uint8Array[] = [];
      let bytes = 0;
      new RecordReader().push(await readFile(path), (buf, start, end) => {
        bytes += end - start + 16;
        if (bytes <= maxFileBytes) records.push(buf.subarray(start, end));
      });
      if (records.length > 1) all.push(records);
    }
  }
  return all;
}

function mutate(records: readonly Uint8Array[], random: (below: number) => number): Uint8Array {
  const kept = records.slice(0, 1 + random(records.length));
  if (random(2) === 0) return damage(Buffer.concat(kept.map((data) => frameRecord(data))), 1 + random(8), random);
  const chosen = new Set(Array.from({ length: 1 + random(8) }, () => random(kept.length)));
  return Buffer.concat(kept.map((data, i) => frameRecord(chosen.has(i) ? damage(Buffer.from(data), 1 + random(4), random) : data)));
}

/** Flips bits, writes random bytes, truncates, duplicates, removes and fills ranges. */
function damage(bytes: Buffer, times: number, random: (below: number) => number): Buffer {
  let result = bytes;
  for (; times > 0 && result.length > 0; times--) {
    const at = random(result.length);
    const length = 1 + random(Math.min(64, result.length - at));
    switch (random(8)) {
      case 0:
      case 1:
        result[at]! ^= 1 << random(8);
        break;
      case 2:
        result[at] = [0, 0x7f, 0x80, 0xff][random(4)]!;
        break;
      case 3:
        result = result.subarray(0, at);
        break;
      case 4:
        result = Buffer.concat([result.subarray(0, at + length), result.subarray(at)]);
        break;
      case 5:
        result = Buffer.concat([result.subarray(0, at), result.subarray(at + length)]);
        break;
      case 6:
        result.fill([0, 0xff, 0x0a, 0x5b][random(4)]!, at, at + length);
        break;
      default:
        // A varint with a large value.
        result = Buffer.concat([
          result.subarray(0, at),
          Buffer.alloc(1 + random(9), 0xff),
          Uint8Array.of(random(128)),
          result.subarray(at),
        ]);
    }
  }
  return result;
}

function readFileIn(file: Uint8Array, ends: readonly number[]): FileBatch {
  const reader = new RecordReader();
  const collector = new PointCollector();
  let from = 0;
  for (const end of ends) {
    reader.push(file.subarray(from, end), (buf, start, stop, offset) => collector.event(buf, start, stop, offset));
    from = end;
  }
  return collector.take({ records: reader.records, problems: reader.takeProblems() });
}

/** Returns everything that must not depend on how the file is cut into pieces. */
function summary({ series, starts, problems, ...numbers }: FileBatch): string {
  const parts = series.map(({ meta, scalars, tensors, blobSequences, ...counts }) => [
    meta.tag,
    meta.twin,
    meta.dataClass,
    meta.plugin,
    scalars && [String(scalars.steps), String(scalars.wallTimes), String(scalars.values)],
    tensors.map(({ offset, dtype, shape, data }) => [offset, dtype, shape, data.length, checksum(data)]),
    blobSequences.map(({ offset, blobs }) => [offset, blobs.map((blob) => [blob.length, checksum(blob)])]),
    counts,
  ]);
  return JSON.stringify([parts, starts.map(({ offset, pointsBefore }) => [offset, pointsBefore]), problems, numbers]);
}

function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) | 0;
  return sum;
}

/** Integers from 0 up to, but excluding, the bound; the same sequence for the same seed. */
function randomNumbers(seed: number): (below: number) => number {
  const next = seededRandom(Math.imul(seed, 0x9e3779b1));
  return (below) => Math.floor(next() * below);
}
