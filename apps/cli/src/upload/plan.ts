import { isLogName, limits, type RunName } from '#model';
import { groupBy } from '../group-by.ts';
import { countPoints } from '../local/count-points.ts';
import { fileLabel } from '../local/file-label.ts';
import type { FoundFile, ScanResult } from '../local/scan.ts';

/** Something that the service would reject or not keep. */
export interface OverLimit {
  readonly file: string;
  readonly reason: string;
  readonly detail: string;
}

/**
 * The work of an upload. `estimatedPoints` is exact if every file was read completely
 * (`sampled` is false).
 */
export interface UploadPlan {
  readonly runs: readonly { readonly run: RunName; readonly files: number; readonly bytes: number; readonly estimatedPoints: number }[];
  readonly files: number;
  readonly bytes: number;
  readonly estimatedPoints: number;
  readonly sampled: boolean;
  readonly overLimit: readonly OverLimit[];
  /** Files whose records are read although their data checksums are wrong. */
  readonly unverified: readonly string[];
}

/**
 * Reads at most this much in total, the same fraction of every file but at least {@link
 * minSampleBytes}.
 */
const maxSampleBytes = 64 * 1024 * 1024;
const minSampleBytes = 64 * 1024;
/** Maximum files to read; if there are more, an evenly spaced selection is read. */
const maxSampledFiles = 512;

/**
 * Plans an upload: counts files and bytes, estimates points from the starts of the files, and lists
 * what exceeds a limit.
 */
export async function planUpload(found: ScanResult): Promise<UploadPlan> {
  const { files } = found;
  const overLimit: OverLimit[] = files.flatMap(nameLimits);
  const bytes = sum(files.map((file) => file.bytes));
  const sampleEach = Math.max(1, Math.ceil(files.length / maxSampledFiles));
  const share = Math.min(1, maxSampleBytes / Math.max(bytes, 1));
  let sampledBytes = 0;
  let sampledPoints = 0;
  const points = new Map<FoundFile, number>();
  const unverified: string[] = [];
  for (const [i, file] of files.entries()) {
    if (i % sampleEach !== 0 || file.bytes === 0 || isLogName(file.name)) continue;
    const sample = Math.min(file.bytes, Math.max(minSampleBytes, Math.ceil(file.bytes * share)));
    const count = await countPoints([{ path: file.path, bytes: sample, name: file.path, version: 1 }]);
    const here = sum(count.series.map((series) => series.points));
    if ((count.unverified[0] ?? 0) > 0) unverified.push(fileLabel(file));
    for (const problem of count.problems[0] ?? []) {
      if (limitReasons.has(problem.reason))
        overLimit.push({ file: fileLabel(file), reason: problem.reason, detail: `at byte ${problem.offset}: ${problem.detail}` });
    }
    sampledBytes += sample;
    sampledPoints += here;
    points.set(file, Math.round((here * file.bytes) / sample));
  }
  const density = sampledBytes === 0 ? 0 : sampledPoints / sampledBytes;
  const estimate = (file: FoundFile): number => points.get(file) ?? (isLogName(file.name) ? 0 : Math.round(file.bytes * density));
  const runs = [...groupBy(files, (file) => file.run)].map(([run, own]) => ({
    run,
    files: own.length,
    bytes: sum(own.map((file) => file.bytes)),
    estimatedPoints: sum(own.map(estimate)),
  }));
  return {
    runs,
    files: files.length,
    bytes,
    estimatedPoints: sum(runs.map((run) => run.estimatedPoints)),
    sampled: sampledBytes < bytes,
    overLimit,
    unverified,
  };
}

/** The parser's reasons that mean "over a limit", as opposed to damage. */
const limitReasons = new Set([
  'record-too-large',
  'tag-too-long',
  'tensor-too-large',
  'blob-too-large',
  'too-many-blobs',
  'too-many-values',
  'too-many-series',
  'metadata-too-large',
]);

function nameLimits(file: FoundFile): OverLimit[] {
  const over: OverLimit[] = [];
  const runBytes = Buffer.byteLength(file.run);
  const nameBytes = Buffer.byteLength(file.name);
  if (runBytes > limits.maxRunNameBytes)
    over.push({
      file: fileLabel(file),
      reason: 'name-too-long',
      detail: `the run name has ${runBytes} bytes; the limit is ${limits.maxRunNameBytes}`,
    });
  if (nameBytes > limits.maxFileNameBytes)
    over.push({
      file: fileLabel(file),
      reason: 'name-too-long',
      detail: `the file name has ${nameBytes} bytes; the limit is ${limits.maxFileNameBytes}`,
    });
  return over;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
