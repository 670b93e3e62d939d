import { join } from 'node:path';
import { assertIsolated } from '#store';
import { chartChecks } from './access/chart-checks.ts';
import { type ForeignIds, foreignIds } from './access/foreign-ids.ts';
import { type Patterns, patterns, worst } from './access/patterns.ts';
import { type Rejections, rejections, slowest } from './access/bad-jwts.ts';
import type { Bench } from './lib/bench.ts';
import { type LocalStore, withLocalStore } from './lib/local-store.ts';
import { withTemporaryFolder } from './lib/places.ts';
import type { Report, Row } from './lib/report.ts';
import { median } from './lib/stats.ts';

/**
 * The cost of access checks, and the effect of hostile clients: reliability tests 25, 26, 34 and
 * 52. The table shows the tests' bounds.
 */
export const access: Bench = {
  name: 'access',
  summary:
    'cost of authentication, permissions, quotas and row level security per chart of a warm service; foreign ids, bad JWTs, hostile patterns',
  flags: {
    requests: { default: 4_000, help: 'requests of each kind, interleaved; 0: skip the chart part' },
    ids: { default: 2_000, help: 'foreign ids, and as many missing ids' },
    audits: { default: 20, help: 'checks that the database isolates workspaces' },
    rounds: { default: 5, help: 'rounds of bad JWTs and of hostile patterns' },
  },
  async run(context) {
    return withTemporaryFolder(async (folder) => {
      const rows: Row[] = [];
      const samples: Record<string, unknown> = {};
      await withLocalStore(async (local) => {
        if (context.number('requests') > 0) {
          const chart = await chartChecks(context, local);
          rows.push(...chart.rows);
          Object.assign(samples, chart.samples);
        }
        if (context.number('audits') > 0) rows.push(...auditRows((samples['audits'] = await audits(local, context.number('audits')))));
        if (context.number('rounds') > 0)
          rows.push(...rejectionRows((samples['bad_jwts'] = await rejections(local, context.number('rounds')))));
      });
      if (context.number('ids') > 0) {
        context.say(`${context.number('ids')} foreign ids, and as many missing ids`);
        rows.push(...foreignRows((samples['foreign_ids'] = await foreignIds(join(folder, 'ids'), context.number('ids')))));
      }
      if (context.number('rounds') > 0) {
        context.say('hostile patterns');
        rows.push(...patternRows((samples['patterns'] = await patterns(join(folder, 'patterns'), context.number('rounds')))));
      }
      const parameters = Object.fromEntries(Object.keys(access.flags).map((flag) => [flag, context.number(flag)]));
      return { bench: 'access', parameters, rows, samples } satisfies Report;
    });
  },
};

interface Audits {
  readonly faults: number;
  readonly milliseconds: readonly number[];
}

async function audits({ store }: LocalStore, times: number): Promise<Audits> {
  const milliseconds: number[] = [];
  let faults = 0;
  for (let n = 0; n < times; n++) {
    const started = performance.now();
    await assertIsolated(store).catch(() => faults++);
    milliseconds.push(performance.now() - started);
  }
  return { faults, milliseconds };
}

function auditRows({ faults, milliseconds }: Audits): Row[] {
  return [
    { measure: '26: checks that found a hole in the catalog', value: faults, unit: '', atMost: 0 },
    { measure: '26: slowest of these checks', value: Math.max(...milliseconds), unit: 'ms', atMost: 1_000 },
  ];
}

function rejectionRows(found: Rejections): Row[] {
  const { name, ms } = slowest(found);
  const single = Math.max(...Object.values(found.milliseconds).flat());
  const kinds = Object.keys(found.milliseconds).length;
  return [
    {
      measure: '34: rejecting a bad JWT, slowest kind',
      value: ms,
      unit: 'ms',
      atMost: 5,
      note: `of ${kinds}, median: ${name}; slowest single request ${single.toFixed(2)} ms`,
    },
    { measure: '34: bad JWTs that were accepted', value: found.letIn, unit: '', atMost: 0 },
    { measure: '34: requests that bad JWTs triggered', value: found.caused, unit: '', atMost: 0 },
  ];
}

/** The smallest effect that a few thousand requests can separate from noise. */
const minDifference = 0.05;

function foreignRows({ chance, noise, different, foreign, missing }: ForeignIds): Row[] {
  return [
    {
      measure: '25: how well response time separates foreign from missing ids',
      value: Math.abs(chance - 0.5),
      unit: '',
      atMost: minDifference,
      note: `0: not at all, 0.5: perfectly; missing ids against each other ${Math.abs(noise - 0.5).toFixed(3)}`,
    },
    { measure: '25: 404 for a foreign id, median', value: median(foreign), unit: 'ms' },
    { measure: '25: 404 for a missing id, median', value: median(missing), unit: 'ms' },
    { measure: '25: responses that differ in more than the id', value: different, unit: '', atMost: 0 },
  ];
}

function patternRows(found: Patterns): Row[] {
  const { pattern, ms } = worst(found);
  const single = Math.max(...Object.values(found.milliseconds).flat());
  return [
    {
      measure: '52: filter with a hostile pattern over 100 KB of names, slowest',
      value: ms,
      unit: 'ms',
      atMost: 50,
      note: `of ${Object.keys(found.milliseconds).length}, median: ${pattern}; slowest single request ${single.toFixed(1)} ms, without a filter ${median(found.plain).toFixed(1)} ms`,
    },
    {
      measure: '52: most expensive accepted pattern, over the same names',
      value: median(found.mostExpensive),
      unit: 'ms',
      note: 'the limit for a list is two seconds',
    },
    { measure: '52: event loop delay meanwhile, p99', value: found.loopP99Ms, unit: 'ms', atMost: 20 },
  ];
}
