import { beforeAll, describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareMetadata, comparePoints } from './compare-oracle.ts';
import { logDirectory, logDirectoryNames, type Oracle, oracleOf } from './log-directories.ts';
import { decodeHparams, decodeSessionEnd, sessionEndTag, sessionStartTag } from '#points';
import { findRuns, type ParsedRun, parseRun } from './parse-run.ts';

/** Values of these logs that have only a tag. */
const withoutData: Readonly<Record<string, readonly string[]>> = {
  tensorboardx: ['A value of "video" has no data.'],
  tf1_legacy: ['A value of "alpha/no value at all" has no data.'],
  torch: ['A value of "alpha/video" has no data.'],
};

describe.each(logDirectoryNames)('%s', (name) => {
  let oracle: Oracle;
  const runs = new Map<string, ParsedRun>();

  beforeAll(async () => {
    oracle = await oracleOf(name);
    for (const [run, files] of await findRuns(await logDirectory(name))) runs.set(run, await parseRun(files, 4099));
  });

  it("has the oracle's runs", () => {
    const listed = [...runs].filter(([, { events }]) => events > 0).map(([run]) => run);
    // Rule 9: a run needs a readable event.
    const unreadable = oracle.run_names.filter((run) => runs.get(run)!.events === 0);
    expect([...listed, ...unreadable].sort()).toEqual([...oracle.run_names].sort());
    for (const run of unreadable) expect(oracle.runs[run]).toMatchObject({ first_event_wall_time: null, tags: {} });
    if (name !== 'damaged') expect(unreadable).toEqual([]);
  });

  it("has the oracle's tags, their metadata and every point", () => {
    for (const [run, parsed] of runs) {
      const tags = oracle.runs[run]!.tags;
      // Rule 10: the library cannot read a folder that has the name of an event file.
      if (oracle.runs[run]!.reload_error !== undefined) {
        expect(parsed.events).toBeGreaterThan(0);
        continue;
      }
      const twins = [...parsed.series.values()].filter(({ meta }) => meta.twin);
      expect(twins, run).toEqual([]);
      const more = [...parsed.series.keys()].filter((tag) => !(tag in tags));
      expect(more, run).toEqual([]);
      for (const [tag, expected] of Object.entries(tags)) {
        const series = parsed.series.get(tag);
        expect(series, `${run} ${tag}`).toBeDefined();
        compareMetadata(series!, expected, `${run} ${tag}`);
        comparePoints(name, run, tag, series!, expected, oracle);
      }
    }
  });

  it('reads what the library reads of each file, and reports why it stops', () => {
    for (const [run, parsed] of runs) {
      const files = Object.entries(oracle.files).filter(([path, { counts_as_event_file }]) => counts_as_event_file && dirOf(path) === run);
      const libraryEvents = files.reduce((sum, [, { events_read = 0 }]) => sum + events_read, 0);
      // Rule 10: a `.profile-empty` file is an event file; the library counts it and reads nothing
      // from it.
      if (run.endsWith('/profile-empty')) continue;
      // Rule 11: a value without data is reported; its event is read normally.
      const damage = parsed.problems.filter(({ reason }) => reason !== 'value-without-data');
      const skipped = damage.filter(({ endsFile }) => !endsFile);
      if (skipped.length === 0) expect(parsed.events, run).toBe(libraryEvents);
      // Rule 8: reading continues after a skipped record.
      else expect(parsed.events, run).toBeGreaterThanOrEqual(libraryEvents);
      if (name !== 'damaged') expect(damage, run).toEqual([]);
    }
  });

  it('reports each value without data, which add_video writes without its encoder, and nothing else', () => {
    const reported = [...runs.values()].flatMap(({ problems }) => problems.filter(({ reason }) => reason === 'value-without-data'));
    expect(reported.map(({ detail }) => detail)).toEqual(withoutData[name] ?? []);
  });

  it('starts each run at its smallest positive wall time', () => {
    // Rule 4: the library always uses the wall time of the first event.
    const firstOf = (run: string): number => oracle.runs[run]!.first_event_wall_time ?? 0;
    const known = [...runs].filter(([run]) => firstOf(run) > 0);
    for (const [run, parsed] of known) expect(parsed.startTime, run).toBeLessThanOrEqual(firstOf(run));
  });
});

describe('keras_hparams', () => {
  it('returns the hyperparameters of each trial and its final status', async () => {
    const sessions: Record<string, unknown> = {};
    for (const [run, files] of await findRuns(await logDirectory('keras_hparams'))) {
      const { series } = await parseRun(files, 4099);
      const start = series.get(sessionStartTag);
      if (start === undefined) continue;
      const end = series.get(sessionEndTag);
      sessions[run] = {
        ...decodeHparams(start.meta.pluginContent)!.hparams,
        status: end ? decodeSessionEnd(end.meta.pluginContent)!.status : null,
      };
    }
    const early = { dropout: 0.1, 'learning rate': 0.01, optimizer: 'adam', use_bias: false, status: 'success' };
    const late = { dropout: 0.4, 'learning rate': 0.001, optimizer: 'sgd', use_bias: true, status: 'success' };
    expect(sessions).toEqual({
      'sweep_a/trial-0': { ...early, num_units: 8 },
      'sweep_a/trial 2 (rerun)': { ...early, num_units: 16 },
      'sweep_a/trial-1': { ...late, num_units: 8 },
      'sweep_a/trial-3': { ...late, num_units: 16 },
      'sweep_a/killed': { dropout: 0.2, note: 'unknown to the config', num_units: 8, optimizer: 'adam', status: null },
    });
  });
});

describe('damaged', () => {
  const cases = JSON.parse(readFileSync(join(import.meta.dirname, '../data/logs/damaged.cases.json'), 'utf8')) as Record<
    string,
    { files: string[] }
  >;
  const reasonOf = async (run: string) => {
    const runs = await findRuns(await logDirectory('damaged'));
    return (await parseRun(runs.get(run)!, 1000)).problems.map(({ reason, endsFile }) => (endsFile ? `${reason}, ends the file` : reason));
  };

  it.each(Object.keys(cases).filter((run) => run.startsWith('b ')))('%s: skips one record and continues', async (run) => {
    expect(await reasonOf(run)).toEqual(['data-checksum']);
  });

  it.each(Object.keys(cases).filter((run) => /^c (?!.*claims)/.test(run)))('%s: ends the file', async (run) => {
    const [reason, ...more] = await reasonOf(run);
    expect(reason).toBe('length-checksum, ends the file');
    expect(more).toEqual([]);
  });

  it.each(Object.keys(cases).filter((run) => run.startsWith('a cut/') && !run.includes('zeros')))(
    '%s: more bytes may follow, no problem yet',
    async (run) => {
      expect(await reasonOf(run)).toEqual([]);
    },
  );

  it.each(['a cut/zeros at the end', 'f not events/text alone', 'f not events/gzip', 'f not events/junk alone'])(
    '%s: ends the file',
    async (run) => {
      expect(await reasonOf(run)).toEqual(['length-checksum, ends the file']);
    },
  );
});

function dirOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
}
