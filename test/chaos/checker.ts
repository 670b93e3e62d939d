import { crc32c } from '@node-rs/crc32';
import type { AckLog } from './ack-log.ts';
import { sha256, type SentFile } from './client.ts';
import { keyOf, type NamedBlob, type PointsBySeries, Reader } from './reader.ts';
import { bytesOf, hashPoints, pointsOf, seriesOf, writersOf, type LoggedPoint, type StoredPoint } from './training.ts';

/** A broken guarantee. */
export interface Violation {
  readonly kind:
    | 'acknowledged-and-lost'
    | 'acknowledged-and-changed'
    | 'offset-decreased'
    | 'damage-taken'
    | 'never-visible'
    | 'visible-too-early'
    | 'points-lost'
    | 'points-doubled'
    | 'points-changed'
    | 'reported-damaged'
    | 'unreadable'
    | 'client-gave-up'
    | 'odd-answer';
  readonly detail: string;
}

/** The parameters of a check. */
export interface CheckOptions {
  /** Address for reads, on a path without faults. */
  readonly url: string;
  readonly token: string;
  readonly files: readonly SentFile[];
  readonly log: AckLog;
  /** Everything acknowledged must be visible this long after the last fault ends. */
  readonly drainMs: number;
  /** Additional wait, to distinguish late data (also a violation) from lost data. */
  readonly graceMs?: number;
}

/** The scope and the result of a check. */
export interface CheckResult {
  readonly violations: readonly Violation[];
  readonly files: number;
  readonly bytes: number;
  readonly acknowledged: number;
  readonly points: number;
  /** Points that are tensors, texts and images. */
  readonly media: number;
  /** Blobs that were read and hashed. */
  readonly blobs: number;
  /** From the start of the check until the last experiment was visible. */
  readonly drainedMs: number;
}

/**
 * Compares the stored data with the acknowledged and the logged data, through the public API: raw
 * content by SHA-256, each acknowledged range, the receipt, every point of every series, and the
 * bytes of all referenced blobs. It shares no code with the system, and trusts only the clients.
 */
export async function check(options: CheckOptions): Promise<CheckResult> {
  const reader = new Reader(options);
  const violations: Violation[] = options.log.decreases.map(({ fileId, from, to, by }) => ({
    kind: 'offset-decreased',
    detail: `file ${fileId}: ${from} was promised, then ${to} (${by})`,
  }));
  const experiments = Map.groupBy(options.files, ({ experimentId }) => experimentId);
  const began = performance.now();
  for (const experimentId of experiments.keys()) {
    const late = await reader.awaitVisible(experimentId, began + options.drainMs);
    if (late === null) continue;
    const since = performance.now();
    const never = await reader.awaitVisible(experimentId, since + (options.graceMs ?? 60_000));
    const until = never === null ? `all of them ${((performance.now() - since) / 1_000).toFixed(1)} s later` : `later ${never}`;
    violations.push({ kind: 'never-visible', detail: `experiment ${experimentId}: after ${options.drainMs} ms ${late}, ${until}` });
  }
  const drainedMs = performance.now() - began;
  const entries = Map.groupBy(options.log.entries, ({ fileId }) => fileId);
  let bytes = 0;
  let acknowledged = 0;
  let [points, media] = [0, 0];
  const blobs = new Set<string>();
  for (const [experimentId, files] of experiments) {
    for (const file of files) {
      const acked = (entries.get(file.fileId) ?? []).filter(({ outcome }) => outcome === 'ok');
      acknowledged += acked.length;
      bytes += await checkContent(reader, file, acked, options.log.promised(file.fileId), violations);
    }
    await checkReceipt(reader, experimentId, files, violations);
    const counts = await checkPoints(reader, experimentId, files, blobs, violations);
    points += counts.points;
    media += counts.media;
  }
  return { violations, files: options.files.length, bytes, acknowledged, points, media, blobs: blobs.size, drainedMs };
}

interface AcknowledgedRange {
  readonly offset: number;
  readonly length: number;
  readonly sha256: string;
}

async function checkContent(
  reader: Reader,
  file: SentFile,
  acked: readonly AcknowledgedRange[],
  promised: number,
  violations: Violation[],
): Promise<number> {
  const name = `file ${file.fileId} (${file.plan.run}/${file.plan.name})`;
  const content = await reader.bytes(`/files/${file.fileId}/content`);
  if (typeof content === 'string') {
    violations.push({ kind: 'unreadable', detail: `${name}: ${content}` });
    return 0;
  }
  if (content.length < promised)
    violations.push({ kind: 'acknowledged-and-lost', detail: `${name} has ${content.length} bytes; ${promised} were promised` });
  for (const { offset, length, sha256: wanted } of acked) {
    const stored = content.subarray(offset, offset + length);
    if (stored.length < length) violations.push({ kind: 'acknowledged-and-lost', detail: `${name}: ${offset}+${length} is missing` });
    else if (sha256(stored) !== wanted)
      violations.push({ kind: 'acknowledged-and-changed', detail: `${name}: ${offset}+${length} has other bytes` });
  }
  if (promised === file.length && sha256(content) !== file.sha256)
    violations.push({ kind: 'acknowledged-and-changed', detail: `${name} differs from what was sent` });
  return content.length;
}

interface ReceiptFile {
  readonly run: string;
  readonly name: string;
  readonly version: number;
  readonly bytes: number;
  readonly crc32c: string;
}

async function checkReceipt(reader: Reader, experimentId: string, files: readonly SentFile[], violations: Violation[]): Promise<void> {
  const listed = await reader.pages<ReceiptFile>(`/experiments/${experimentId}/files?page_size=1000`, 'files');
  const problems = await reader.pages<object>(`/experiments/${experimentId}/problems?page_size=1000`, 'problems');
  for (const problem of problems) violations.push({ kind: 'reported-damaged', detail: JSON.stringify(problem) });
  for (const { plan, length } of files) {
    const versions = listed.filter(({ run, name }) => run === plan.run && name === plan.name);
    const crc = crc32c(bytesOf(plan)).toString(16).padStart(8, '0');
    if (versions.length !== 1 || versions[0]!.bytes !== length || versions[0]!.crc32c !== crc)
      violations.push({
        kind: 'acknowledged-and-changed',
        detail: `the receipt of ${plan.run}/${plan.name} says ${JSON.stringify(versions)}, not ${length} bytes with ${crc}`,
      });
  }
}

/**
 * Compares all series of an experiment. `known`: SHA-256 of the blobs that were already read; equal
 * content is stored once, under any number of names.
 */
async function checkPoints(
  reader: Reader,
  experimentId: string,
  files: readonly SentFile[],
  known: Set<string>,
  violations: Violation[],
): Promise<{ points: number; media: number }> {
  const read = await readSeries(reader, experimentId).catch((error: Error) => error);
  if (read instanceof Error) {
    violations.push({ kind: 'unreadable', detail: read.message });
    return { points: 0, media: 0 };
  }
  const { stored, blobs } = read;
  const counts = { points: 0, media: 0 };
  const unknown = new Set(stored.keys());
  for (const [run, ofRun] of Map.groupBy(files, ({ plan }) => plan.run)) {
    for (const [writer, plans] of writersOf(ofRun.map(({ plan }) => plan)).entries()) {
      const logged = new Map<string, LoggedPoint[][]>();
      for (const plan of plans) for (const [tag, points] of pointsOf(plan)) logged.set(tag, [...(logged.get(tag) ?? []), points]);
      for (const [tag, parts] of logged) {
        const key = keyOf({ run, tag, writer });
        const wanted = seriesOf(parts);
        const found = stored.get(key) ?? [];
        unknown.delete(key);
        counts.points += found.length;
        counts.media += found.filter(({ value }) => typeof value === 'string').length;
        if (found.length === wanted.length && hashPoints(found) === hashPoints(wanted)) continue;
        violations.push({
          kind: kindOf(found, wanted),
          detail: `${run} ${tag} of writer ${writer}: ${found.length} points are stored, ${wanted.length} were logged`,
        });
      }
    }
  }
  for (const series of unknown)
    violations.push({ kind: 'points-doubled', detail: `${series.replaceAll('\0', ' ')} is stored, but was never logged` });
  const fresh = [...blobs.values()].filter((blob) => !known.has(blob.sha256));
  for (const { sha256: name } of fresh) known.add(name);
  await checkBlobs(reader, fresh, violations);
  return counts;
}

async function readSeries(reader: Reader, experimentId: string): Promise<{ stored: PointsBySeries; blobs: Map<string, NamedBlob> }> {
  const stored = await reader.points(experimentId);
  const { points, blobs } = await reader.media(experimentId);
  // No tag was logged with both scalars and other values: if a tag has both, all values count for
  // its series, which then has too many points.
  for (const [series, values] of points) stored.set(series, [...(stored.get(series) ?? []), ...values]);
  return { stored, blobs };
}

/** Blobs that are read concurrently. */
const blobReaders = 4;

/**
 * Reads blobs by their keys. Their names (the SHA-256 of the logged content) have been compared
 * with the points.
 */
async function checkBlobs(reader: Reader, blobs: NamedBlob[], violations: Violation[]): Promise<void> {
  const readSome = async (): Promise<void> => {
    for (let blob = blobs.pop(); blob; blob = blobs.pop()) {
      const content = await reader.bytes(`/blobs/${blob.key}`).catch((error: Error) => error.message);
      if (typeof content === 'string') violations.push({ kind: 'unreadable', detail: `blob ${blob.sha256}: ${content}` });
      else if (sha256(content) !== blob.sha256 || content.length !== blob.bytes)
        violations.push({
          kind: 'points-changed',
          detail: `blob ${blob.sha256} of ${blob.bytes} bytes has other content of ${content.length} bytes`,
        });
    }
  };
  await Promise.all(Array.from({ length: blobReaders }, readSome));
}

function kindOf(found: readonly StoredPoint[], wanted: readonly StoredPoint[]): Violation['kind'] {
  if (found.length > wanted.length) return 'points-doubled';
  if (found.length < wanted.length) return 'points-lost';
  return new Set(found.map(({ step, wallTime }) => `${step} ${wallTime}`)).size <
    new Set(wanted.map(({ step, wallTime }) => `${step} ${wallTime}`)).size
    ? 'points-doubled'
    : 'points-changed';
}
