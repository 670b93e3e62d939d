import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareMetadata, comparePoints } from '../logs/compare-oracle.ts';
import { logDirectory, logDirectoryNames, type Oracle, oracleOf } from '../logs/log-directories.ts';
import { findRuns, type ParsedRun, parseRun, type ParsedSeries, pointsOf } from '../logs/parse-run.ts';
import { readWriters, type RunOfWriters, supersededOf } from '../logs/writers-of-run.ts';
import { readExperiment, type RestSeries } from './rest-run.ts';
import { Cli, Service, type Uploaded } from './service.ts';

/*
 * Every real log directory, uploaded by the CLI and read over REST, equals what stock TensorBoard
 * reads, except for differences listed in the data rules.
 */

let service: Service;
let stateDir: string;
let cli: Cli;

beforeAll(async () => {
  service = await Service.start();
  stateDir = await mkdtemp(join(tmpdir(), 'plotline-state-'));
  cli = new Cli(service, stateDir);
});

afterAll(async () => {
  await service.dispose();
  await rm(stateDir, { recursive: true, force: true });
});

describe.each(logDirectoryNames)('%s', (name) => {
  let oracle: Oracle;
  let uploaded: Uploaded;
  let uploadCode: number | null;
  let stored: Map<string, Map<string, RestSeries>>;
  let stderr: string;
  let logdir: string;
  /** The data that is sent for each run, in writer order. */
  const local = new Map<string, RunOfWriters>();
  /** All files of each run in name order, as the library reads them. */
  const byName = new Map<string, ParsedRun>();

  beforeAll(async () => {
    oracle = await oracleOf(name);
    logdir = await logDirectory(name);
    const result = await cli.run('upload', '--logdir', logdir, '--one-shot', '--json');
    uploadCode = result.code;
    stderr = result.stderr;
    uploaded = JSON.parse(result.stdout) as Uploaded;
    stored = await readExperiment(service, uploaded.experiment_id);
    for (const [run, files] of await findRuns(logdir)) {
      local.set(run, await readWriters(files));
      byName.set(run, await parseRun(files, 1 << 20));
    }
  });

  it('is uploaded', () => {
    expect(uploadCode).toBe(0);
    // Rules 2 and 10: copies, and files that do not start like event files, are reported but not
    // sent.
    const left = [...local.values()]
      .flatMap(({ copies, others }) => [...copies.keys(), ...others])
      .map((path) => relative(logdir, path))
      .sort();
    expect(left).toEqual(name === 'damaged' ? notSent : []);
    for (const path of left) expect(stderr).toContain(path);
    // Rule 10: the name decides; the library ignores `.profile-empty` files.
    const eventFiles = Object.entries(oracle.files).flatMap(([path, file]) =>
      path.slice(path.lastIndexOf('/') + 1).includes('tfevents') && !left.includes(path) ? [file] : [],
    );
    expect(uploaded.files).toBe(eventFiles.length);
    expect(uploaded.bytes).toBe(eventFiles.reduce((sum, file) => sum + file.bytes, 0));
  });

  it("lists the oracle's runs", async () => {
    const { runs } = await service.json<{ runs: { run: string; start_time: number | null }[] }>(
      `/experiments/${uploaded.experiment_id}/runs?page_size=1000`,
    );
    // Rule 9: a run needs a readable event.
    const readable = oracle.run_names.filter((run) => local.get(run)!.parsed.events > 0);
    expect(runs.map(({ run }) => run).sort()).toEqual(readable.toSorted());
    // Rule 4.
    for (const { run, start_time } of runs) expect(start_time, run).toBe(local.get(run)!.parsed.startTime);
  });

  it("has the oracle's tags, their metadata and every point", () => {
    for (const [run, expectedRun] of Object.entries(oracle.runs)) {
      const tags = stored.get(run) ?? new Map<string, RestSeries>();
      // Rule 10: the library cannot read a folder that has the name of an event file.
      if (expectedRun.reload_error !== undefined) {
        expect(tags.size, run).toBeGreaterThan(0);
        continue;
      }
      expect([...tags.keys()].toSorted(), run).toEqual(Object.keys(expectedRun.tags).toSorted());
      for (const [tag, { plugin_content_sha256: _, ...expected }] of Object.entries(expectedRun.tags)) {
        const series = tags.get(tag)!;
        compareMetadata(series, expected, `${run} ${tag}`);
        comparePoints(name, run, tag, asLibraryReads(series, local.get(run)!, byName.get(run)!), expected, oracle);
      }
    }
  });

  it('has every point that was sent, by writer, marks exactly those that data rule 2 supersedes, and counts them', () => {
    for (const [run, { parsed }] of local) {
      expect([...(stored.get(run)?.keys() ?? [])].toSorted(), run).toEqual([...parsed.series.keys()].toSorted());
    }
    for (const [run, tags] of stored) {
      const { parsed, order } = local.get(run)!;
      for (const [tag, series] of tags) {
        const where = `${run} ${tag}`;
        const own = parsed.series.get(tag)!;
        const superseded = supersededOf(local.get(run)!, own);
        // Responses number the writers only if there are several.
        const lanes = [...new Set(own.places.map(({ file }) => order.lane(file)))].sort((a, b) => a - b);
        const writers = [...new Set(series.writer)].sort((a, b) => a - b);
        const logged = pointsOf(own).map(({ step, wallTime }, i) => ({
          writer: lanes.indexOf(order.lane(own.places[i]!.file)),
          step,
          wallTime,
          superseded: superseded[i]!,
        }));
        const found = pointsOf(series).map(({ step, wallTime }, i) => ({
          writer: writers.indexOf(series.writer[i]!),
          step,
          wallTime,
          superseded: series.superseded[i]!,
        }));
        expect(found, where).toEqual(logged.toSorted((a, b) => a.writer - b.writer));
        for (const [at, listed] of series.writers.entries()) {
          const points = found.filter(({ writer }) => writer === at);
          const steps = points.filter((point) => !point.superseded).map(({ step }) => step);
          expect(listed, where).toMatchObject({ points: steps.length, superseded_points: points.length - steps.length });
          const ends = [listed.first_step, listed.last_step].map((step) => (step === null ? null : BigInt(step)));
          const sorted = steps.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
          expect(ends, where).toEqual([sorted[0] ?? null, sorted.at(-1) ?? null]);
        }
        const { invalid, mismatched, rounded } = series;
        expect({ invalid, mismatched, rounded }, where).toEqual({
          invalid: own.invalid,
          mismatched: own.mismatched,
          rounded: own.rounded,
        });
      }
    }
  });

  it('summarizes the effective values', () => {
    for (const [run, tags] of stored) {
      for (const [tag, series] of tags) {
        if (series.meta.dataClass !== 'scalar') continue;
        const writers = [...new Set(series.writer)].sort((a, b) => a - b);
        for (const [at, { min, max, last, nan_count }] of series.writers.entries()) {
          const values = series.scalars
            .filter((_, i) => !series.superseded[i] && series.writer[i] === writers[at])
            .toSorted((a, b) => (a.step < b.step ? -1 : 1))
            .map(({ value }) => value);
          const numbers = values.filter((value) => !Number.isNaN(value));
          const shown = (value: number | undefined): number | string | null =>
            value === undefined ? null : Number.isFinite(value) ? value + 0 : String(value);
          expect({ min: unsigned(min), max: unsigned(max), last: unsigned(last), nan_count }, `${run} ${tag}`).toEqual({
            min: shown(numbers.length > 0 ? numbers.reduce((a, b) => Math.min(a, b)) : undefined),
            max: shown(numbers.length > 0 ? numbers.reduce((a, b) => Math.max(a, b)) : undefined),
            last: shown(values.at(-1)),
            nan_count: values.length - numbers.length,
          });
        }
      }
    }
  });

  it('lists unreadable parts with file and offset', async () => {
    const { problems } = await service.json<{ problems: { run: string; file: string; offset: number; reason: string }[] }>(
      `/experiments/${uploaded.experiment_id}/problems?page_size=1000`,
    );
    // A truncated last record is reported once the file is complete (rule 8); the parser alone
    // cannot know that.
    const found = problems
      .filter(({ reason }) => reason !== 'truncated-record')
      .map(({ run, file, offset, reason }) => `${run} ${file} ${offset} ${reason}`);
    const expected = [...local].flatMap(([run, { parsed }]) =>
      parsed.problems.map(({ file, offset, reason }) => `${run} ${file} ${offset} ${reason}`),
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
    const cut = problems.filter(({ reason }) => reason === 'truncated-record').map(({ run }) => run);
    expect([...new Set(cut)].toSorted()).toEqual(name === 'damaged' ? Object.keys(oracle.runs).filter(isCut).toSorted() : []);
  });

  it('sends nothing if it is uploaded again', async () => {
    const again = await cli.json<Uploaded>('upload', '--logdir', await logDirectory(name), '--one-shot');
    expect(again).toMatchObject({ experiment_id: uploaded.experiment_id, uploaded_bytes: 0, points: uploaded.points });
  });

  it('is verified', async () => {
    const verified = await cli.run('verify', uploaded.experiment_id, '--logdir', await logDirectory(name));
    expect(verified.code, verified.stdout + verified.stderr).toBe(0);
  });
});

/** Copies, and files of the damaged directory that do not start with a record. */
const notSent = [
  'c length bit/first record/events.out.tfevents.1700000000.host.100.0',
  'f not events/gzip/events.out.tfevents.1700000000.host.gz',
  'f not events/junk alone/events.out.tfevents.1700000000.host',
  'f not events/short/events.out.tfevents.1699999999.host',
  'f not events/text after/zz tfevents note.txt',
  'f not events/text alone/notes about tfevents.txt',
  'f not events/text before/a tfevents note.txt',
  'g copies/backup beside/events.out.tfevents.1700000000.host.bak',
  'g copies/order of names/events.out.tfevents.1700000000.host.100',
  'g copies/same file twice/events.out.tfevents.1700000050.host.101.1',
];

/**
 * The stored points as the library reads them: file by file in name order, including copies;
 * `purged` by the STARTs in this order.
 */
function asLibraryReads(series: RestSeries, { parsed, order, copies }: RunOfWriters, all: ParsedRun): ParsedSeries {
  const own = parsed.series.get(series.meta.tag)!;
  const library = all.series.get(series.meta.tag)!;
  // The stored points are sorted by writer, then by file.
  const files = own.places.map(({ file }) => file).toSorted((a, b) => order.lane(a) - order.lane(b) || a - b);
  const indices = all.files.flatMap(({ path }, at) => {
    const rank = parsed.files.findIndex((file) => file.path === (copies.get(path) ?? path));
    const first = files.indexOf(rank);
    return [...library.places.filter(({ file }) => file === at).keys()].map((i) => first + i);
  });
  const pick = <P>(points: readonly P[]): P[] => (points.length === 0 ? [] : indices.map((i) => points[i]!));
  return {
    ...series,
    scalars: pick(series.scalars),
    tensors: pick(series.tensors),
    blobSequences: pick(series.blobSequences),
    purged: library.purged,
  };
}

/** −0 and 0 are equal in a summary, where the sign of zero does not matter. */
function unsigned(value: number | string | null): number | string | null {
  return typeof value === 'number' ? value + 0 : value;
}

/** The damaged runs with a truncated last record: cut by hand, or with a length beyond the end. */
function isCut(run: string): boolean {
  return (run.startsWith('a cut/') && !run.includes('zeros')) || run.includes('claims');
}
