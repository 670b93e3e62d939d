import { createHash } from 'node:crypto';
import { decodeBody } from '#chunks';
import { administer } from './faults.ts';
import type { Stack } from './stack.ts';

/** The facts about an experiment in the tables, one line each, sorted; and their SHA-256. */
export interface LogicalDump {
  readonly lines: readonly string[];
  readonly hash: string;
}

/** Columns with the service's IDs, epochs and times, which are unrelated to the logged data. */
const omitted = `'{tenant_id,experiment_id,run_id,file_id,series_id,acknowledged_epoch,acknowledged_at,ingested_at}'::text[]`;
const ofSeries = 'join series s on s.tenant_id = t.tenant_id and s.series_id = t.series_id';
const ofFile = 'join event_file f on f.tenant_id = t.tenant_id and f.file_id = t.file_id';

/** Facts with one row each, with ids replaced by names. */
const facts: readonly { readonly what: string; readonly query: string }[] = [
  { what: 'series', query: `select tag, to_jsonb(t) - ${omitted} as row from series t where experiment_id = $1` },
  { what: 'statistics', query: `select s.tag, to_jsonb(t) - ${omitted} as row from series_stats t ${ofSeries} where s.experiment_id = $1` },
  { what: 'run', query: `select to_jsonb(t) - ${omitted} as row from run_state t where experiment_id = $1` },
  { what: 'facts', query: `select to_jsonb(t) - ${omitted} as row from run_facts t where experiment_id = $1` },
  { what: 'usage', query: `select to_jsonb(t) - ${omitted} as row from experiment_epoch t where experiment_id = $1` },
  { what: 'progress', query: `select f.name, to_jsonb(t) - ${omitted} as row from file_progress t ${ofFile} where t.experiment_id = $1` },
  {
    what: 'file',
    query: 'select name, version, durable_offset, crc32c, joined_bytes, dropped_bytes from event_file where experiment_id = $1',
  },
  { what: 'segment', query: `select f.name, t."offset", t.length, t.crc32c from segment t ${ofFile} where f.experiment_id = $1` },
  { what: 'problem', query: `select f.name, to_jsonb(t) - ${omitted} as row from file_problem t ${ofFile} where t.experiment_id = $1` },
  { what: 'start', query: `select f.name, to_jsonb(t) - ${omitted} as row from session_start t ${ofFile} where f.experiment_id = $1` },
  { what: 'pending', query: `select f.name, t."offset", t.length from pending_segment t ${ofFile} where t.experiment_id = $1` },
  {
    what: 'tail',
    query: 'select tail_no, part, points from run_tail where run_id in (select run_id from run where experiment_id = $1)',
  },
];

/**
 * Dumps an experiment in terms of the logged data: every point with its position in its file,
 * effective or superseded; statistics, usage, files, progress. Omits ids, epochs, ingest times and
 * chunk bounds, which depend on the order of arrival. All tails must have been cut into chunks
 * before.
 */
export async function logicalDump(stack: Stack, experimentId: string): Promise<LogicalDump> {
  const all = facts.map(({ what, query }) => `select '${what}' as what, to_jsonb(fact) as fact from (${query}) fact`).join(' union all ');
  const rows = await administer<{ what: string; fact: object }>(stack, all, [experimentId]);
  const lines = rows.map(({ what, fact }) => `${what} ${JSON.stringify(fact)}`);
  const chunks = await administer<{ tag: string; name: string; superseded: boolean; count: number; body: Buffer }>(
    stack,
    `select s.tag, f.name, t.superseded, t.count, t.body from scalar_chunk t ${ofSeries} ${ofFile} where s.experiment_id = $1`,
    [experimentId],
  );
  for (const { tag, name, superseded, count, body } of chunks) {
    const { points, ordinals } = decodeBody(body);
    if (points.steps.length !== count) lines.push(`chunk of ${count} points with ${points.steps.length}`);
    points.steps.forEach((step, i) => {
      const ordinal = ordinals.column ? ordinals.column[i] : ordinals.first + i;
      const kind = superseded ? 'superseded' : 'effective';
      lines.push(`point ${tag} ${name} ${ordinal}: ${step} ${points.wallTimes[i]} ${points.values[i]} ${kind}`);
    });
  }
  lines.sort();
  return { lines, hash: createHash('sha256').update(lines.join('\n')).digest('hex') };
}

/** Returns the lines that are in only one of two dumps, for display. */
export function differenceOf(a: LogicalDump, b: LogicalDump): string {
  const only = (those: LogicalDump, others: LogicalDump): string[] => {
    const known = new Set(others.lines);
    return those.lines.filter((line) => !known.has(line));
  };
  const [left, right] = [only(a, b), only(b, a)];
  return `${a.lines.length} and ${b.lines.length} lines; ${left.length} only in the first, e.g. ${left[0]}; ${right.length} only in the second, e.g. ${right[0]}`;
}
