import { groupBy } from '../group-by.ts';
import { compareLogOrder, isLogName, type RunName, type TagName } from '#model';
import { countPoints, type RunCount } from '../local/count-points.ts';
import { EventFile } from '../local/event-file.ts';
import type { FoundFile } from '../local/scan.ts';
import type { ReceiptFile, ReceiptSeries } from '../receipt/receipt.ts';
import { plural } from '../report.ts';

/** A difference between local data and the service. `what` is stable, `detail` is a sentence. */
export interface Difference {
  readonly what: 'missing-here' | 'missing-there' | 'bytes' | 'shorter-here' | 'not-uploaded' | 'records' | 'points' | 'digest';
  readonly run: RunName;
  readonly name: string | null;
  readonly tag: TagName | null;
  readonly detail: string;
}

const scratchBytes = 8 * 1024 * 1024;

/**
 * Compares bytes: every acknowledged prefix must equal the local file's prefix. Returns the
 * differences and the pairs that match. Logs may grow during the comparison: everything in `before`
 * must be in the receipt, and everything in the receipt must be in `after`.
 */
export async function compareFiles(
  before: readonly FoundFile[],
  receipt: readonly ReceiptFile[],
  after: readonly FoundFile[],
): Promise<{ differences: Difference[]; agreeing: Map<ReceiptFile, FoundFile> }> {
  const differences: Difference[] = [];
  const agreeing = new Map<ReceiptFile, FoundFile>();
  const byName = (files: readonly FoundFile[]) => new Map(files.map((file) => [`${file.run}\0${file.name}`, file]));
  const [earlier, here] = [byName(before), byName(after)];
  const versions = groupBy(receipt, (file) => `${file.run}\0${file.name}`);
  const scratch = new Uint8Array(scratchBytes);
  for (const [key, all] of versions) {
    const [first] = all as [ReceiptFile];
    const { run, name } = first;
    const found = here.get(key);
    const say = (what: Difference['what'], detail: string): unknown => differences.push({ what, run, name, tag: null, detail });
    if (!found) {
      if (await isCopy(all, after, scratch)) continue;
      say(
        'missing-here',
        `the service has ${all.reduce((sum, file) => sum + file.bytes, 0)} bytes of this file, but the log directory does not contain the file`,
      );
      continue;
    }
    // The local file corresponds to a version with the same start; the longest is tried first.
    const sorted = [...all].sort((a, b) => b.bytes - a.bytes || b.version - a.version);
    const match = await firstMatch(found, sorted, scratch);
    if (!match) {
      const latest = [...all].sort((a, b) => b.version - a.version)[0] as ReceiptFile;
      if (found.bytes < latest.bytes)
        say('shorter-here', `the service has ${latest.bytes} bytes, but the local file has only ${found.bytes}`);
      else say('bytes', `the first ${latest.bytes} bytes differ from the bytes on the service`);
      continue;
    }
    agreeing.set(match, found);
    const wanted = Math.min(found.bytes, earlier.get(key)?.bytes ?? 0);
    if (match.bytes < wanted) say('not-uploaded', `the last ${wanted - match.bytes} of ${wanted} bytes are not uploaded`);
  }
  for (const file of before) {
    if (!versions.has(`${file.run}\0${file.name}`))
      differences.push({
        what: 'missing-there',
        run: file.run,
        name: file.name,
        tag: null,
        detail: `the service does not have this file (${file.bytes} bytes)`,
      });
  }
  return { differences, agreeing };
}

/**
 * Whether the file was a temporary file or a copy: the bytes of all its versions are a prefix of a
 * local file in its run.
 */
async function isCopy(versions: readonly ReceiptFile[], here: readonly FoundFile[], scratch: Uint8Array): Promise<boolean> {
  const others = here.filter((file) => file.run === versions[0]?.run);
  for (const version of versions) {
    let begins = false;
    for (const other of others) begins ||= (await firstMatch(other, [version], scratch)) !== null;
    if (!begins) return false;
  }
  return true;
}

async function firstMatch(found: FoundFile, candidates: readonly ReceiptFile[], scratch: Uint8Array): Promise<ReceiptFile | null> {
  const file = await EventFile.open(found.path);
  try {
    for (const candidate of candidates) {
      if (candidate.bytes > found.bytes) continue;
      const crc = await file.checksum(0, candidate.bytes, scratch);
      // A file from which points were deleted exists locally either as sent or as exported.
      if (crc === candidate.crc32c || crc === candidate.contentCrc32c) return candidate;
    }
    return null;
  } finally {
    await file.close();
  }
}

/**
 * Compares the content of the acknowledged bytes of one run: records of each file and points of
 * each series, read again with the local parser. `deleted`: points that exist locally but not on
 * the service, in a run with deleted points. Only for runs with all versions available locally
 * (`agreeing` has them all): points of a version whose bytes are missing cannot be counted.
 */
export async function comparePoints(
  run: RunName,
  files: readonly ReceiptFile[],
  agreeing: ReadonlyMap<ReceiptFile, FoundFile>,
  served: readonly ReceiptSeries[],
  quarantined: (file: ReceiptFile) => ReadonlySet<number>,
): Promise<{ differences: Difference[]; deleted: number }> {
  const ordered = files.filter(({ name }) => !isLogName(name)).sort(compareLogOrder);
  const count = await countPoints(
    ordered.map((file) => ({
      path: (agreeing.get(file) as FoundFile).path,
      bytes: file.bytes,
      name: file.name,
      version: file.version,
      quarantined: quarantined(file),
    })),
  );
  const rewritten = ordered.some((file) => file.rewritten);
  const { differences, deleted } = compareSeries(run, count, served, rewritten);
  return { differences: [...compareRecords(run, ordered, count), ...differences], deleted };
}

function compareRecords(run: RunName, files: readonly ReceiptFile[], count: RunCount): Difference[] {
  return files.flatMap((file, i) => {
    if (file.records === count.records[i]) {
      if (file.unverified === count.unverified[i]) return [];
      const detail = `${file.unverified} records with wrong checksums were read on the service, ${count.unverified[i]} here`;
      return [{ what: 'records' as const, run, name: file.name, tag: null, detail }];
    }
    return [
      {
        what: 'records' as const,
        run,
        name: file.name,
        tag: null,
        detail: `${file.records} records on the service, ${count.records[i]} here`,
      },
    ];
  });
}

/**
 * `mayLack`: points of the run were deleted, so the service may have fewer, and different points
 * may be superseded. `deleted` counts the missing points.
 */
function compareSeries(
  run: RunName,
  count: RunCount,
  served: readonly ReceiptSeries[],
  mayLack: boolean,
): { differences: Difference[]; deleted: number } {
  const here = sums(count.series);
  const there = sums(served);
  const differences: Difference[] = [];
  let deleted = 0;
  for (const key of new Set([...here.keys(), ...there.keys()])) {
    const [mine, theirs] = [here.get(key) ?? { points: 0, superseded: 0 }, there.get(key) ?? { points: 0, superseded: 0 }];
    if (mine.points === theirs.points && mine.superseded === theirs.superseded) continue;
    if (mayLack && theirs.points <= mine.points) {
      deleted += mine.points - theirs.points;
      continue;
    }
    const tag = key.slice(key.indexOf('\0') + 1);
    differences.push({
      what: 'points',
      run,
      name: null,
      tag,
      detail: `${countText(theirs)} there, ${countText(mine)} here`,
    });
  }
  return { differences, deleted };
}

interface Counted {
  readonly tag: TagName;
  readonly dataClass: string;
  readonly points: number;
  readonly superseded: number;
}

/** Formats a number of points, and how many of them are superseded. */
function countText({ points, superseded }: { points: number; superseded: number }): string {
  return `${plural(points, 'point')}${superseded > 0 ? ` (${superseded} superseded)` : ''}`;
}

/** Sums counts by data class and tag, which a series and its twin can have in common. */
function sums(series: readonly Counted[]): Map<string, { points: number; superseded: number }> {
  const all = new Map<string, { points: number; superseded: number }>();
  for (const { tag, dataClass, points, superseded } of series) {
    const key = `${dataClass}\0${tag}`;
    const known = all.get(key) ?? { points: 0, superseded: 0 };
    all.set(key, { points: known.points + points, superseded: known.superseded + superseded });
  }
  return all;
}
