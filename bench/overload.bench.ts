import { join } from 'node:path';
import type { Bench, BenchContext } from './lib/bench.ts';
import { generateLogs } from './lib/generate-logs.ts';
import { defaultModel } from './lib/log-model.ts';
import { backlog, type Backlog } from './overload/backlog.ts';
import { goodput, type Goodput } from './overload/goodput.ts';
import { type Neighbours, neighbours } from './overload/noisy-neighbour.ts';
import { openSessions, type Sessions } from './overload/open-sessions.ts';
import { expensiveSteps, type Plan, summary } from './overload/plans.ts';
import { slowAndFast, type SlowAndFast } from './overload/slow-and-fast.ts';
import { withTemporaryFolder } from './lib/places.ts';
import type { Report, Row } from './lib/report.ts';
import { median } from './lib/stats.ts';

const MiB = 1024 * 1024;
/** Bytes per record of generated logs; converts megabytes to steps. */
const recordBytes = 60;
/**
 * Few runs, so that even a bound far below the default lets each run have as many pending bytes as
 * an ingest transaction reads.
 */
const trainings = 4;

/**
 * Measures a service under more load than its capacity: reliability tests 32 and 55 to 58. The
 * table shows the tests' bounds.
 */
export const overload: Bench = {
  name: 'overload',
  summary:
    'a loud workspace beside a quiet one, slow clients beside fast ones, three times the ingest capacity, a million pending segments',
  flags: {
    share: { default: 50, help: 'connections of the loud workspace per connection of the quiet one' },
    slow: { default: 200, help: 'uploads at 1 KB/s' },
    fast: { default: 50, help: 'slow uploads beside the fast ones' },
    sessions: { default: 10_000, help: 'bodies that a workspace keeps open concurrently' },
    seconds: { default: 8, help: 'duration of each phase with fast clients' },
    rounds: { default: 3, help: 'rounds; the table shows medians' },
    megabytes: { default: 400, help: 'size of the logs sent at three times the ingest rate' },
    pending: { default: 1_000_000, help: 'pending segments to sweep and claim' },
    drained: { default: 40_000, help: 'pending segments of 1,000 runs to ingest in each round; of one run, eight times as many' },
  },
  async run(context) {
    return withTemporaryFolder(async (folder) => {
      const rows: Row[] = [];
      const samples: Record<string, unknown> = {};
      if (context.number('share') > 0) rows.push(...neighbourRows((samples['neighbours'] = await neighbourPart(folder, context))));
      if (context.number('slow') > 0) {
        rows.push(...slowRows((samples['slow_and_fast'] = await slowPart(folder, context, false)), 'embedded: all parts in it'));
        rows.push(...slowRows((samples['slow_and_fast_apart'] = await slowPart(folder, context, true)), 'upload process'));
      }
      if (context.number('sessions') > 0) rows.push(...sessionRows((samples['sessions'] = await sessionPart(folder, context))));
      if (context.number('megabytes') > 0) rows.push(...loadRows((samples['goodput'] = await loadPart(folder, context))));
      if (context.number('pending') > 0) rows.push(...backlogRows((samples['backlog'] = await backlogPart(folder, context))));
      const parameters = Object.fromEntries(Object.keys(overload.flags).map((flag) => [flag, context.number(flag)]));
      return { bench: 'overload', parameters, rows, samples } satisfies Report;
    });
  },
};

const neighbourConnections = 4;
/** A twentieth of the rate that this machine serves to one workspace. */
const loudRequestsPerMinute = 3_000;

function neighbourPart(folder: string, context: BenchContext): Promise<Neighbours> {
  const [share, seconds, rounds] = ['share', 'seconds', 'rounds'].map((flag) => context.number(flag)) as [number, number, number];
  return neighbours(join(folder, 'neighbours'), {
    connections: neighbourConnections,
    share,
    requestsPerMinute: loudRequestsPerMinute,
    seconds,
    rounds,
    say: context.say,
  });
}

function neighbourRows(found: Neighbours): Row[] {
  return [
    {
      measure: '32: appends of a quiet workspace beside a loud one / alone',
      value: found.throughputRatio,
      unit: 'x',
      atLeast: 0.8,
      note: `the loud one has used up its quota (${loudRequestsPerMinute} requests per minute) and honors Retry-After`,
    },
    { measure: '32: p99 of their responses beside a loud one / alone', value: found.p99Ratio, unit: 'x', atMost: 2 },
    { measure: '32: p99 alone', value: median(found.solo.map((phase) => phase.responseP99Ms)), unit: 'ms' },
    { measure: '32: rejected requests of the quiet workspace', value: found.quietRejected, unit: '', atMost: 0 },
    {
      measure: '32: rejected requests of the loud one',
      value: found.loudRejected,
      unit: '',
      atLeast: 1,
      note: `${found.loudServed} appends accepted`,
    },
  ];
}

function slowPart(folder: string, context: BenchContext, apart: boolean): Promise<SlowAndFast> {
  const [slow, fast, seconds, rounds] = ['slow', 'fast', 'seconds', 'rounds'].map((flag) => context.number(flag)) as [
    number,
    number,
    number,
    number,
  ];
  return slowAndFast(join(folder, apart ? 'slow-apart' : 'slow'), { slow, fast, seconds, rounds, apart, say: context.say });
}

/** `what`: the measured process. */
function slowRows(found: SlowAndFast, what: string): Row[] {
  return [
    { measure: '55: fast clients beside slow ones / alone', value: found.ratio, unit: 'x', atLeast: 0.8, note: what },
    { measure: '55: fast clients alone', value: median(found.solo.map((phase) => phase.bytesPerSecond)) / 1e6, unit: 'MB/s' },
    {
      measure: '55: event loop delay beside slow clients, p99',
      value: Math.max(...found.beside.map((phase) => phase.loopP99Ms)),
      unit: 'ms',
      atMost: 100,
      note: `alone ${Math.max(...found.solo.map((phase) => phase.loopP99Ms)).toFixed(0)} ms`,
    },
    { measure: '55: service, peak memory (VmHWM)', value: found.peakBytes / MiB, unit: 'MiB', atMost: 512, note: what },
    { measure: '55: slow uploads that were aborted', value: found.slowCut, unit: '', atMost: 0 },
  ];
}

function sessionPart(folder: string, context: BenchContext): Promise<Sessions> {
  return openSessions(join(folder, 'sessions'), { sessions: context.number('sessions'), say: context.say });
}

function sessionRows(found: Sessions): Row[] {
  const letIn = found.opened - found.rejected;
  return [
    { measure: '57: open bodies of one workspace at the same time', value: found.maxOpen, unit: '', atMost: found.bound },
    { measure: '57: answered 429', value: found.rejected, unit: '', atLeast: 1 },
    { measure: '57: accepted, then aborted with 408', value: found.cut, unit: '', atLeast: Math.max(letIn, 1) },
    { measure: '57: idle time until the first one was aborted', value: found.firstCutSeconds, unit: 's', atLeast: 30 },
    { measure: '57: idle time until the last one was aborted', value: found.lastCutSeconds, unit: 's', atMost: 35 },
    { measure: '57: closed without a response, or with another one', value: found.dropped, unit: '', atMost: 0 },
    { measure: '57: connections open 35 s after the last byte', value: found.stillOpen, unit: '', atMost: 0 },
    {
      measure: '57: bytes lost that were acknowledged before or after the aborts',
      value: found.lostBytes,
      unit: 'bytes',
      atMost: 0,
      note: 'of the file of the aborted bodies',
    },
    { measure: '57: upload process, peak memory (VmHWM)', value: found.peakBytes / MiB, unit: 'MiB', atMost: 512 },
  ];
}

interface Load {
  readonly capacities: readonly Goodput[];
  readonly overloaded: readonly Goodput[];
}

/**
 * A database in which commits of points take three seconds. Without the delay, clients on the same
 * machine cannot offer three times the ingest rate.
 */
const slowCommits = { PLOTLINE_FAILPOINTS: 'before-ingest-commit=sleep:3000' };
/**
 * More than three, because a client with little left to send (a third of the time) cannot offer the
 * full rate.
 */
const overloadFactor = 5;

/**
 * Alternates, each time on a fresh service: without bounds, then with bounds and more than three
 * times the rate measured without.
 */
async function loadPart(folder: string, context: BenchContext): Promise<Load> {
  const model = { ...defaultModel, runs: trainings };
  const steps = Math.ceil((context.number('megabytes') * 1e6) / recordBytes / model.tags / model.runs);
  const logs = generateLogs(join(folder, 'logs'), { ...model, steps });
  const load = { capacities: [] as Goodput[], overloaded: [] as Goodput[] };
  for (let round = 1; round <= context.number('rounds'); round++) {
    const capacity = await goodput(join(folder, `capacity-${round}`), logs, { settings: slowCommits, offeredPerSecond: Infinity });
    // For the default of four runs, twice the bytes per run that an ingest transaction reads.
    // Smaller bounds make transactions smaller and more expensive, and each transaction takes three
    // more seconds.
    const settings = { ...slowCommits, PLOTLINE_MAX_PENDING_BYTES_PER_TENANT: String(Math.ceil(logs.bytes / 3)) };
    const offeredPerSecond = overloadFactor * capacity.bytesPerSecond;
    const overloaded = await goodput(join(folder, `overloaded-${round}`), logs, { settings, offeredPerSecond });
    load.capacities.push(capacity);
    load.overloaded.push(overloaded);
    const rate = (found: Goodput) => `${(found.bytesPerSecond / 1e6).toFixed(1)} MB/s`;
    context.say(
      `round ${round}: ingests ${rate(capacity)}; when offered ${(overloaded.offeredPerSecond / 1e6).toFixed(0)} MB/s, it ingests ${rate(overloaded)} and rejects ${overloaded.rejected}`,
    );
  }
  return load;
}

function loadRows({ capacities, overloaded }: Load): Row[] {
  const ratios = overloaded.map((found, i) => found.bytesPerSecond / capacities[i]!.bytesPerSecond);
  const sum = (pick: (found: Goodput) => number): number => overloaded.reduce((total, found) => total + pick(found), 0);
  return [
    { measure: '56: goodput under three times the load / capacity', value: median(ratios), unit: 'x', atLeast: 0.9 },
    {
      measure: '56: capacity',
      value: median(capacities.map((found) => found.bytesPerSecond)) / 1e6,
      unit: 'MB/s',
      note: 'sent until visible, each commit of points delayed by three seconds',
    },
    {
      measure: '56: offered / capacity',
      value: median(overloaded.map((found, i) => found.offeredPerSecond / capacities[i]!.bytesPerSecond)),
      unit: 'x',
      atLeast: 3,
      note: 'from the first byte until the last one was accepted',
    },
    {
      measure: '56: processor time under three times the load / without',
      value: median(overloaded.map((found, i) => found.processorSeconds / capacities[i]!.processorSeconds)),
      unit: 'x',
      note: 'service and Postgres, for the same bytes',
    },
    { measure: '56: refusals', value: sum((found) => found.rejected), unit: '', atLeast: 1 },
    { measure: '56: rejections without Retry-After or RateLimit', value: sum((found) => found.incompleteRejections), unit: '', atMost: 0 },
    { measure: '56: acknowledged bytes lost', value: sum((found) => Math.abs(found.lostBytes)), unit: 'bytes', atMost: 0 },
  ];
}

function backlogPart(folder: string, context: BenchContext): Promise<Backlog> {
  const [pending, drained, rounds] = ['pending', 'drained', 'rounds'].map((flag) => context.number(flag)) as [number, number, number];
  return backlog(join(folder, 'backlog'), { pending, drained, rounds, say: context.say });
}

/** The maximum number of rows that a claim reads per file; more than the runs of a sweep. */
const maxRowsPerStep = 4_096;

function backlogRows(found: Backlog): Row[] {
  const plans = (what: string, of: readonly Plan[]): Row => ({
    measure: `58: plan steps in ${what} with more than ${maxRowsPerStep} rows, or without an index`,
    value: expensiveSteps(of, 'pending_segment', maxRowsPerStep),
    unit: '',
    atMost: 0,
    note: summary(of, 'pending_segment'),
  });
  const drain = (what: string, value: number): Row => ({ measure: `58: rate of ${what}`, value, unit: 'x', atLeast: 0.8 });
  const { oneRun, manyRuns } = found;
  const wholePerQuarter = (drains: Backlog['oneRun']): number => median(drains.map(({ quarter, whole }) => whole / quarter));
  const [oneRunRate, manyRunsRate] = [oneRun, manyRuns].map((drains) => median(drains.map(({ whole }) => whole))) as [number, number];
  return [
    { measure: '58: sweep of 1,000 runs, p99', value: found.sweepP99Ms, unit: 'ms', atMost: 50 },
    { measure: '58: claiming and sweeping, p99', value: found.claimP99Ms, unit: 'ms', atMost: 50 },
    plans('sweeps', found.sweepPlans),
    plans('claims', found.claimPlans),
    { measure: '58: counting what is pending', value: found.countMs, unit: 'ms', note: 'for admission, once per 20 of these' },
    drain('a whole backlog of one run / a quarter of it', wholePerQuarter(oneRun)),
    { measure: '58: ingest rate of tiny segments of one run', value: oneRunRate, unit: '1/s' },
    drain('a whole backlog of 1,000 runs / 250 of them', wholePerQuarter(manyRuns)),
    drain('1,000 runs with everything else pending / alone', median(found.manyRunsBeside) / manyRunsRate),
    { measure: '58: ingest rate of tiny segments of 1,000 runs', value: manyRunsRate, unit: '1/s' },
  ];
}
