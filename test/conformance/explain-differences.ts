import { isDeepStrictEqual } from 'node:util';
import { logDirectory, type LogDirectoryName, type Oracle, oracleOf, type OracleTag } from '../logs/log-directories.ts';
import { findRuns, pointsOf } from '../logs/parse-run.ts';
import { readWriters, type RunOfWriters, supersededOf } from '../logs/writers-of-run.ts';
import type { ShownSeries } from './shown.ts';
import type { Difference } from './shown-differences.ts';
import { uploaderFaults } from './uploader-faults.ts';

/** How an experiment was uploaded. */
export type Via = 'native' | 'stock';

/** Known properties of a directory, besides the data that stock TensorBoard shows. */
interface Known {
  readonly name: LogDirectoryName;
  readonly via: Via;
  readonly oracle: Oracle;
  /**
   * The result of our parser, which `test/logs` compares with the oracle, and the writers of each
   * run by data rule 2.
   */
  readonly runs: ReadonlyMap<string, RunOfWriters>;
  readonly all: readonly Difference[];
}

/**
 * A reason why two responses differ, and its text: data rules (docs/data-rules.md), differences
 * between TensorBoard's own readers, or behavior of its uploader.
 */
interface Reason {
  readonly says: string;
  readonly explains: (difference: Difference, known: Known) => boolean;
}

/** Returns the differences without a reason, as text, and the reasons for the other differences. */
export async function explain(
  name: LogDirectoryName,
  via: Via,
  found: readonly Difference[],
): Promise<{ readonly unexplained: string[]; readonly reasons: string[] }> {
  const runs = new Map<string, RunOfWriters>();
  for (const [run, files] of await findRuns(await logDirectory(name))) runs.set(run, await readWriters(files));
  const known: Known = { name, via, oracle: await oracleOf(name), runs, all: found };
  const ends = via === 'stock' ? uploaderFaults[name].ends : null;
  const reasons = new Set<string>();
  const unexplained: string[] = [];
  for (const difference of found) {
    // The uploader cannot read the folder, so it did not send the folder's files.
    if (ends !== null && difference.run.startsWith(ends.folder)) continue;
    const reason = all.find(({ explains }) => explains(difference, known));
    if (reason) reasons.add(reason.says);
    else unexplained.push(JSON.stringify(difference).slice(0, 700));
  }
  return { unexplained, reasons: [...reasons] };
}

const all: readonly Reason[] = [
  {
    says: 'The data server drops display name and description of values of the old form; we keep what the Python reader has (data rule 3).',
    explains: ({ what, run, tag, direct, ours }, { runs }) => {
      const expected = runs.get(run)?.parsed.series.get(tag)?.meta;
      if (what !== 'about' || !expected || !direct || !ours) return false;
      const [theirs, here] = [direct, ours] as [NonNullable<ShownSeries['about']>, NonNullable<ShownSeries['about']>];
      const kept = here.displayName === expected.displayName && (here.description === '') === (expected.description === '');
      return theirs.displayName === '' && theirs.description === '' && theirs.samples === here.samples && kept;
    },
  },
  {
    says: 'A START of a session supersedes what the data server keeps (data rule 2b); the uploader does not send it.',
    explains: ({ plugin, what, run, tag }, { via, oracle, runs }) => {
      if (via !== 'native' || plugin !== 'scalars' || what !== 'missing' || !oracle.purged_by_restart[run]?.[tag]) return false;
      // A series without effective points is not listed to TensorBoard (protocol reference C.2)
      return effectiveOf(runs.get(run)!, tag, via).length === 0;
    },
  },
  {
    says: 'Among points out of order, we hide those that were logged again or before a START (data rule 2), the data server all at or above a step that does not rise.',
    explains: ({ plugin, what, run, tag, ours }, { via, runs }) => {
      if (plugin !== 'scalars' || what !== 'steps') return false;
      const of = (points: readonly { step: bigint; wallTime: number }[]) => points.map(({ step, wallTime }) => [Number(step), wallTime]);
      return same(
        (ours as ShownSeries['points']).map(([step, wallTime]) => [step, wallTime]),
        of(effectiveOf(runs.get(run)!, tag, via)),
      );
    },
  },
  {
    says: 'Histograms of the old form lose empty buckets at both ends (data rule 6); the uploader sends them as float32.',
    explains: ({ plugin, what, run, tag, direct, ours }, { oracle, all: found, via }) => {
      if (what !== 'values' || !isLegacyHistogram(tagOf(oracle, run, tag))) return false;
      if (plugin === 'distributions') return found.some((other) => other.plugin === 'histograms' && other.run === run && other.tag === tag);
      if (plugin !== 'histograms') return false;
      const round = via === 'stock' ? Math.fround : (value: number) => value;
      const expected = (direct as Rows).map(([step, wallTime, rows]) => [step, wallTime, trimmed(rows).map((row) => row.map(round))]);
      return same(expected, ours);
    },
  },
  {
    says: 'The data server does not say that converted audio is WAV.',
    explains: ({ plugin, what, direct, ours }) => {
      if (plugin !== 'audio' || what !== 'values') return false;
      const bytes = (points: unknown): unknown =>
        (points as Media).map(([step, wallTime, [sample, hash]]) => [step, wallTime, sample, hash]);
      const typesOf = (points: unknown): unknown => [...new Set((points as Media).map(([, , [, , type]]) => type))];
      return same(bytes(direct), bytes(ours)) && same(typesOf(direct), ['application/octet-stream']) && same(typesOf(ours), ['audio/wav']);
    },
  },
  {
    says: 'The data server drops scalars that are not stored as float32; we keep them (data rule 5).',
    explains: ({ plugin, what, run, tag, ours }, { via, oracle, runs }) => {
      const dtypes = (tagOf(oracle, run, tag) as { stored_dtypes?: string[] } | undefined)?.stored_dtypes ?? [];
      if (plugin !== 'scalars' || what !== 'added' || dtypes.every((dtype) => /^(DT_FLOAT|float32)$/.test(dtype))) return false;
      return same((ours as ShownSeries).points, shownScalars(runs.get(run)!, tag, via));
    },
  },
  {
    says: 'The uploader forgets metadata between the files of a run, and leaves out clips with labels of the second one (it says so).',
    explains: ({ plugin, what, run, direct, ours }, { name, via }) => {
      if (via !== 'stock' || name !== 'tf1_legacy' || run !== 'v1 plugin ops' || plugin !== 'audio' || what !== 'steps') return false;
      const sent = stepsOf(ours);
      return (
        sent.length > 0 &&
        same(
          (direct as Media).filter(([step]) => sent.includes(step)),
          ours,
        )
      );
    },
  },
  {
    says: 'The uploader sends wall times before 1970 a second late (protocol reference B.3).',
    explains: ({ what, run, tag, direct, ours }, { name, via }) => {
      if (via !== 'stock' || name !== 'torch' || what !== 'wall times' || run !== 'edges' || tag !== 'before 1970') return false;
      const late = (direct as ShownSeries['points']).map(([step, wallTime, value]) => [step, Number(wallTime) + 1, value]);
      return same(late, ours);
    },
  },
  {
    says: 'The projector looks into the log directory for files of its own.',
    explains: ({ plugin, what, run }) => plugin === 'enabled' && what === 'missing' && run === 'projector',
  },
  {
    says: 'Which metrics the sessions have says the experiment event of the run that a data server names first.',
    explains: ({ plugin, direct, ours }) =>
      // The hyperparameters come from a protobuf map, whose order differs between processes.
      plugin === 'hparams' && isDeepStrictEqual(withoutMetrics(direct), withoutMetrics(ours)) && metricsAgree(direct, ours),
  },
  {
    says: 'The uploader sends no run without values.',
    explains: ({ plugin, what, run }, { via, oracle }) => {
      if (via !== 'stock' || plugin !== 'runs' || what !== 'missing') return false;
      return !Object.values(oracle.runs[run]?.tags ?? {}).some((tag) => tag.listed_by_data_provider);
    },
  },
  {
    says: 'A record whose checksum is wrong is skipped, and reading goes on (data rule 8); the data server believes it, the uploader stops.',
    explains: ({ run, plugin, what, tag, ours }, { name, via, runs }) => {
      if (name !== 'damaged' || !run.startsWith('b data bit/')) return false;
      if (plugin === 'runs') return via === 'stock';
      const series = runs.get(run)!.parsed.series.get(tag);
      // The flipped bit produced this tag.
      if (what === 'missing') return via === 'stock' || !series;
      if (!series) return false;
      const points = what === 'added' ? (ours as ShownSeries).points : (ours as ShownSeries['points']);
      const steps = [...new Set(points.map(([step]) => step))];
      const effective = effectiveOf(runs.get(run)!, tag, via).map(({ step }) => Number(step));
      return via === 'native' ? same(steps, effective) : same(steps, effective.slice(0, steps.length));
    },
  },
];

interface Sessions {
  readonly sessionGroups: readonly {
    readonly name: string;
    readonly metricValues: readonly unknown[];
    readonly sessions: readonly { readonly metricValues: readonly unknown[] }[];
  }[];
}

function withoutMetrics(response: unknown): unknown {
  return (response as Sessions).sessionGroups.map((group) => ({
    ...group,
    metricValues: null,
    sessions: group.sessions.map((session) => ({ ...session, metricValues: null })),
  }));
}

/** In each group, one side has all metrics of the other, with the same values. */
function metricsAgree(direct: unknown, ours: unknown): boolean {
  return (direct as Sessions).sessionGroups.every(({ metricValues }, i) => {
    const [a, b] = [metricValues, (ours as Sessions).sessionGroups[i]!.metricValues].map((values) =>
      values.map((value) => JSON.stringify(value)),
    );
    return a!.every((value) => b!.includes(value)) || b!.every((value) => a!.includes(value));
  });
}

type Rows = readonly (readonly [step: number, wallTime: unknown, rows: readonly (readonly number[])[]])[];
type Media = readonly (readonly [
  step: number,
  wallTime: unknown,
  value: readonly [sample: number, hash: string | null, type: string | null],
])[];

function tagOf(oracle: Oracle, run: string, tag: string): OracleTag | undefined {
  return oracle.runs[run]?.tags[tag];
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function stepsOf(points: unknown): number[] {
  return (points as ShownSeries['points']).map(([step]) => step);
}

/**
 * Returns the effective points of a series by data rule 2, sorted as TensorBoard gets them. The
 * uploader sends the files of a run as one stream without STARTs, which is one writer.
 */
function effectiveOf(run: RunOfWriters, tag: string, via: Via): readonly EffectivePoint[] {
  const { parsed } = run;
  const series = parsed.series.get(tag)!;
  const superseded =
    via === 'native'
      ? supersededOf(run, series)
      : supersededOf(
          { ...run, parsed: { ...parsed, files: parsed.files.map((file) => ({ ...file, starts: [] })) } },
          { ...series, places: series.places.map(() => ({ file: 0, session: 0 })) },
        );
  const { scalars } = series;
  return pointsOf(series)
    .map((point, i) => ({ ...point, value: scalars[i]?.value ?? NaN }))
    .filter((_, i) => !superseded[i])
    .sort((a, b) => (a.step === b.step ? a.wallTime - b.wallTime : a.step < b.step ? -1 : 1));
}

/** `value` is NaN if the series is not scalar. */
interface EffectivePoint {
  readonly step: bigint;
  readonly wallTime: number;
  readonly value: number;
}

/**
 * Scalars in the form of the stock TensorBoard API: float32, with words for numbers that JSON
 * lacks.
 */
function shownScalars(run: RunOfWriters, tag: string, via: Via): ShownSeries['points'] {
  const shown = (value: number): number | string => (Number.isFinite(value) ? value : String(value));
  return effectiveOf(run, tag, via).map(({ step, wallTime, value }) => [Number(step), shown(wallTime), shown(Math.fround(value))]);
}

function isLegacyHistogram(tag: OracleTag | undefined): boolean {
  return tag?.plugin === 'histograms' && JSON.stringify(tag.first).includes('"float32"');
}

/**
 * Returns rows without the empty rows at both ends; the outer edges remain the smallest and largest
 * values.
 */
function trimmed(rows: readonly (readonly number[])[]): number[][] {
  const first = rows.findIndex(([, , count]) => count! > 0);
  if (first === -1) return [];
  const last = rows.findLastIndex(([, , count]) => count! > 0);
  const kept = rows.slice(first, last + 1).map((row) => [...row]);
  kept[0]![0] = rows[0]![0]!;
  kept.at(-1)![1] = rows.at(-1)![1]!;
  return kept;
}
