import { Problem, type RunName, type TagName } from '#model';
import { compareRuns, curve, describeExperiment, diffConfigs, type ExactPoint, type Json, listRunProblems, type Source } from '#summaries';
import { findExperiment } from '../bridge/find-experiment.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import { shown } from '../http/json.ts';
import type { Report } from '../report.ts';
import { apiSource } from '../summaries/api-source.ts';

/** Reads one summary and prints it: the JSON document, or lines for people. */
async function summarize(
  named: string,
  host: Host,
  report: Report,
  read: (source: Source, id: string) => Promise<Json>,
  print: (result: Json) => void,
): Promise<number> {
  const visit = await findExperiment(named, host, report);
  try {
    const result = await read(apiSource(visit.api, visit.headers), visit.experimentId);
    report.document(result);
    if (!report.json) print(result);
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'bad-request') throw usageError(error.message);
    throw new CliError(error.code === 'not-found' ? exitCodes.notFound : exitCodes.failed, error.message, {
      code: error.code,
      cause: error,
    });
  } finally {
    visit.api.http.close();
  }
}

/** `plotline describe`. */
export function describe(flags: { argument: string; run?: RunName }, host: Host, report: Report): Promise<number> {
  const { run } = flags;
  return summarize(
    flags.argument,
    host,
    report,
    (source, id) => describeExperiment(source, id, { ...(run !== undefined && { run }) }),
    (result) => {
      const { name, link } = result['experiment'] as Json;
      report.result(`${shown(name)}  ${shown(link)}`);
      report.result(`Runs: ${fields(result['runs'])}`);
      report.result(`Series: ${fields(result['series'])}; ${shown(result['points'])} scalar points`);
      for (const anomaly of rows(result['anomalies'])) report.result(`! ${fields(anomaly)}`);
      more(report, result['anomalies_omitted'], 'anomalies');
      report.result('');
      report.table(
        ['TAG', 'RUNS', 'BEST', 'AT STEP', 'RUN', 'LAST', 'TREND'],
        rows(result['metrics']).map((metric) => {
          const best = (metric['best'] ?? metric['min']) as Json | null;
          return [
            shown(metric['tag']),
            Number(metric['runs']),
            shown(best?.['value']) + (metric['best'] === undefined && best ? ` … ${shown((metric['max'] as Json | null)?.['value'])}` : ''),
            shown(best?.['step']),
            shown(best?.['run']),
            shown((metric['last'] as Json | null)?.['value']),
            shown(metric['trend']),
          ];
        }),
      );
      more(report, result['metrics_omitted'], 'metrics');
    },
  );
}

interface CurveFlags {
  readonly argument: string;
  readonly run: RunName;
  readonly tag: TagName;
  readonly writer?: number;
  readonly steps?: { from?: string; to?: string };
  readonly points?: number;
}

/** `plotline curve`. */
export function showCurve({ argument, run, tag, writer, steps, points }: CurveFlags, host: Host, report: Report): Promise<number> {
  const request = { run, tag, ...steps, ...(writer !== undefined && { writer }), ...(points !== undefined && { points }) };
  return summarize(
    argument,
    host,
    report,
    (source, id) => curve(source, id, request),
    (result) => {
      report.table(
        ['STEP', 'VALUE'],
        (result['points'] as [unknown, unknown][]).map(([step, value]) => [shown(step), shown(value)]),
      );
      if (result['not_finite']) report.result(`Not finite: ${fields(result['not_finite'])}`);
      report.result(
        result['complete'] === true
          ? `All ${shown(result['source_points'])} points.`
          : `${shown(result['shown_points'])} of ${shown(result['source_points'])} points: the smallest and the largest of each interval.`,
      );
    },
  );
}

/** `plotline compare`. */
export function compare(flags: { argument: string; run?: string[]; tag?: string[] }, host: Host, report: Report): Promise<number> {
  return summarize(
    flags.argument,
    host,
    report,
    (source, id) => compareRuns(source, id, { runs: flags.run ?? [], ...(flags.tag && { tags: flags.tag }) }),
    (result) => {
      report.table(
        ['TAG', 'RUN', 'POINTS', 'FIRST', 'LAST', 'MIN', 'AT STEP', 'MAX', 'AT STEP', 'BEST'],
        rows(result['tags']).flatMap((tag) =>
          rows(tag['runs']).map((run) => {
            const at = (field: string) => run[field] as ExactPoint | null;
            return [
              shown(tag['tag']),
              shown(run['run']) + (run['writer'] === undefined ? '' : ` (writer ${shown(run['writer'])})`),
              shown(run['points']),
              shown(at('first')?.value),
              shown(at('last')?.value),
              shown(at('min')?.value),
              shown(at('min')?.step),
              shown(at('max')?.value),
              shown(at('max')?.step),
              run['run'] === tag['best_run'] ? 'best' : '',
            ];
          }),
        ),
      );
      more(report, result['tags_omitted'], 'tags');
    },
  );
}

/** `plotline diff`. */
export function diff(flags: { argument: string; run?: string[] }, host: Host, report: Report): Promise<number> {
  return summarize(
    flags.argument,
    host,
    report,
    (source, id) => diffConfigs(source, id, flags.run ?? []),
    (result) => {
      const differing = Object.entries({ ...(result['differing'] as Json), ...(result['source'] as Json | undefined) });
      if (differing.length > 0)
        report.table(
          ['KEY', ...(result['runs'] as string[])],
          differing.map(([key, values]) => [key, ...(values as unknown[]).map((value) => (value === null ? null : shown(value)))]),
        );
      report.result(`${differing.length} keys differ, ${shown(result['same_keys'])} keys are the same.`);
      more(report, result['keys_omitted'], 'keys');
    },
  );
}

/** `plotline problems`. */
export function problems(flags: { argument: string; run?: RunName }, host: Host, report: Report): Promise<number> {
  const { run } = flags;
  return summarize(
    flags.argument,
    host,
    report,
    (source, id) => listRunProblems(source, id, { ...(run !== undefined && { run }) }),
    (result) => {
      const damaged = result['damaged'] as Json | null;
      if (damaged === null) report.result('Your link does not show unreadable data.');
      else {
        report.result(`${shown(damaged['count'])} damaged places in the files.`);
        const places = rows(damaged['places']);
        if (places.length > 0)
          report.table(
            ['RUN', 'FILE', 'BYTE', 'REASON', 'DETAIL'],
            places.map((p) => [shown(p['run']), shown(p['file']), Number(p['offset']), shown(p['reason']), shown(p['detail'])]),
          );
        more(report, damaged['places_omitted'], 'places');
      }
      const series = rows(result['series']);
      report.result(
        `Points that do not count: ${shown(result['superseded_points'])} superseded, ${shown(result['invalid_points'])} invalid, ${shown(result['mismatched_points'])} mismatched.`,
      );
      if (series.length > 0)
        report.table(
          ['RUN', 'TAG', 'POINTS', 'SUPERSEDED', 'INVALID', 'MISMATCHED', 'ROUNDED'],
          series.map((s) => [
            shown(s['run']),
            shown(s['tag']),
            shown(s['points']),
            ...['superseded_points', 'invalid_points', 'mismatched_points', 'rounded_points'].map((field) => shown(s[field] ?? 0)),
          ]),
        );
      more(report, result['series_omitted'], 'series');
    },
  );
}

function rows(value: unknown): readonly Json[] {
  return (value ?? []) as readonly Json[];
}

/** `total 3, running 1`. */
function fields(value: unknown): string {
  return Object.entries((value ?? {}) as Json)
    .map(([name, one]) => `${name.replaceAll('_', ' ')} ${shown(one)}`)
    .join(', ');
}

function more(report: Report, omitted: unknown, noun: string): void {
  if (typeof omitted === 'number') report.result(`… and ${omitted} more ${noun}`);
}
