import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareMetadata, comparePoints } from '../logs/compare-oracle.ts';
import { logDirectory, logDirectoryNames, type Oracle, oracleOf } from '../logs/log-directories.ts';
import { findRuns, type ParsedRun, parseRun, pointsOf } from '../logs/parse-run.ts';
import { readExperiment, type RestSeries } from './rest-run.ts';
import { Cli, Service, type Uploaded } from './service.ts';

/* Every real log directory, uploaded by the command line and read over REST, equals what stock TensorBoard reads, but for what the data rules name. */

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

/** Data rule 2: (a) a later point of the series has a step that is not larger; (b) is what `purged` says. */
function supersededByRule(steps: readonly bigint[], purged: readonly boolean[]): boolean[] {
  const superseded = [...purged];
  let least: bigint | null = null;
  for (let i = steps.length - 1; i >= 0; i--) {
    const step = steps[i]!;
    if (least !== null && least <= step) superseded[i] = true;
    else least = step;
  }
  return superseded;
}

describe.each(logDirectoryNames)('%s', (name) => {
  let oracle: Oracle;
  let uploaded: Uploaded;
  let uploadCode: number | null;
  let stored: Map<string, Map<string, RestSeries>>;
  const local = new Map<string, ParsedRun>();

  beforeAll(async () => {
    oracle = await oracleOf(name);
    const logdir = await logDirectory(name);
    const result = await cli.run('upload', '--logdir', logdir, '--one-shot', '--json');
    uploadCode = result.code;
    uploaded = JSON.parse(result.stdout) as Uploaded;
    stored = await readExperiment(service, uploaded.experiment_id);
    for (const [run, files] of await findRuns(logdir)) local.set(run, await parseRun(files, 1 << 20));
    for (const [run, parsed] of local) {
      for (const [tag, series] of parsed.series) {
        const ours = stored.get(run)?.get(tag);
        if (ours) ours.purged = series.purged;
      }
    }
  });

  it('is uploaded', () => {
    expect(uploadCode).toBe(0);
    // Rule 10: the name decides; the library leaves `.profile-empty` files out.
    const eventFiles = Object.entries(oracle.files).flatMap(([path, file]) =>
      path.slice(path.lastIndexOf('/') + 1).includes('tfevents') ? [file] : [],
    );
    expect(uploaded.files).toBe(eventFiles.length);
    expect(uploaded.bytes).toBe(eventFiles.reduce((sum, file) => sum + file.bytes, 0));
  });

  it("lists the oracle's runs", async () => {
    const { runs } = await service.json<{ runs: { run: string; start_time: number | null }[] }>(
      `/experiments/${uploaded.experiment_id}/runs?page_size=1000`,
    );
    // Rule 9: no readable event, no run.
    const readable = oracle.run_names.filter((run) => local.get(run)!.events > 0);
    expect(runs.map(({ run }) => run).sort()).toEqual(readable.toSorted());
    // Rule 4.
    for (const { run, start_time } of runs) expect(start_time, run).toBe(local.get(run)!.startTime);
  });

  it("has the oracle's tags, their metadata and every point", () => {
    for (const [run, expectedRun] of Object.entries(oracle.runs)) {
      const tags = stored.get(run) ?? new Map<string, RestSeries>();
      // Rule 10: the library cannot read a folder with the name of an event file.
      if (expectedRun.reload_error !== undefined) {
        expect(tags.size, run).toBeGreaterThan(0);
        continue;
      }
      expect([...tags.keys()].toSorted(), run).toEqual(Object.keys(expectedRun.tags).toSorted());
      for (const [tag, { plugin_content_sha256: _, ...expected }] of Object.entries(expectedRun.tags)) {
        const series = tags.get(tag)!;
        compareMetadata(series, expected, `${run} ${tag}`);
        comparePoints(name, run, tag, series, expected, oracle);
      }
    }
  });

  it('marks just the points that the restart rule supersedes, and counts what it has', () => {
    for (const [run, tags] of stored) {
      for (const [tag, series] of tags) {
        const where = `${run} ${tag}`;
        const points = pointsOf(series);
        expect(series.superseded, where).toEqual(
          supersededByRule(
            points.map(({ step }) => step),
            series.purged,
          ),
        );
        const effective = points.filter((_, i) => !series.superseded[i]);
        expect(series.listed, where).toMatchObject({
          points: effective.length,
          superseded_points: points.length - effective.length,
          invalid_points: local.get(run)!.series.get(tag)!.invalid,
          mismatched_points: local.get(run)!.series.get(tag)!.mismatched,
          rounded_points: local.get(run)!.series.get(tag)!.rounded,
        });
        const steps = [series.listed.first_step, series.listed.last_step].map((step) => (step === null ? null : BigInt(step)));
        expect(steps, where).toEqual([effective[0]?.step ?? null, effective.at(-1)?.step ?? null]);
      }
    }
  });

  it('summarises the effective values', () => {
    for (const [run, tags] of stored) {
      for (const [tag, series] of tags) {
        if (series.meta.dataClass !== 'scalar') continue;
        const values = series.scalars.filter((_, i) => !series.superseded[i]).map(({ value }) => value);
        const numbers = values.filter((value) => !Number.isNaN(value));
        const shown = (value: number | undefined): number | string | null =>
          value === undefined ? null : Number.isFinite(value) ? value + 0 : String(value);
        const { min, max, last, nan_count } = series.listed;
        expect({ min: unsigned(min), max: unsigned(max), last: unsigned(last), nan_count }, `${run} ${tag}`).toEqual({
          min: shown(numbers.length > 0 ? numbers.reduce((a, b) => Math.min(a, b)) : undefined),
          max: shown(numbers.length > 0 ? numbers.reduce((a, b) => Math.max(a, b)) : undefined),
          last: shown(values.at(-1)),
          nan_count: values.length - numbers.length,
        });
      }
    }
  });

  it('names what could not be read, with file and offset', async () => {
    const { problems } = await service.json<{ problems: { run: string; file: string; offset: number; reason: string }[] }>(
      `/experiments/${uploaded.experiment_id}/problems?page_size=1000`,
    );
    // A cut last record is reported once the file is complete (rule 8); the parser alone cannot know that.
    const found = problems
      .filter(({ reason }) => reason !== 'truncated-record')
      .map(({ run, file, offset, reason }) => `${run} ${file} ${offset} ${reason}`);
    const expected = [...local].flatMap(([run, { problems: own }]) =>
      own.map(({ file, offset, reason }) => `${run} ${file} ${offset} ${reason}`),
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
    const cut = problems.filter(({ reason }) => reason === 'truncated-record').map(({ run }) => run);
    expect([...new Set(cut)].toSorted()).toEqual(name === 'damaged' ? Object.keys(oracle.runs).filter(isCut).toSorted() : []);
  });

  it('sends nothing when it is uploaded again', async () => {
    const again = await cli.json<Uploaded>('upload', '--logdir', await logDirectory(name), '--one-shot');
    expect(again).toMatchObject({ experiment_id: uploaded.experiment_id, uploaded_bytes: 0, points: uploaded.points });
  });

  it('is verified', async () => {
    const { code, stderr, stdout } = await cli.run('verify', uploaded.experiment_id, '--logdir', await logDirectory(name));
    expect(code, stdout + stderr).toBe(0);
  });
});

/** −0 and 0 are one number for a summary (the sign of a zero there means nothing). */
function unsigned(value: number | string | null): number | string | null {
  return typeof value === 'number' ? value + 0 : value;
}

/** The damaged runs whose last record is cut: by hand, by a length that claims more than there is, or because the file is shorter than a header. */
function isCut(run: string): boolean {
  return (run.startsWith('a cut/') && !run.includes('zeros')) || run.includes('claims') || run === 'f not events/short';
}
