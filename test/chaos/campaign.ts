import { setTimeout as sleep } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { seededRandom } from '#testing';
import type { CheckResult } from './checker.ts';
import {
  cutPart,
  drawWeather,
  endBackends,
  failS3,
  type FaultKind,
  freezeProcess,
  halfOpen,
  halfOpenClients,
  killBackend,
  killPostgres,
  killProcess,
  killS3,
  latency,
  partition,
  partLinks,
  type Strike,
  wipeRedis,
} from './faults.ts';
import { checkedLine, ms } from './scenario.ts';
import { quantile } from './visibility.ts';
import { Stack } from './stack.ts';
import { Workload } from './workload.ts';

/** A long run of all faults, mixed by the seed. */
export interface CampaignOptions {
  readonly seed: number;
  /** The campaign ends after this many observed faults. */
  readonly faults: number;
  /** The campaign ends after this time at the latest. */
  readonly minutes: number;
  /** See {@link StackOptions.timeFactor}. */
  readonly timeFactor?: number;
  /** Called with progress lines. */
  readonly say: (line: string) => void;
}

/** The result of a campaign. */
export interface CampaignResult {
  readonly observed: ReadonlyMap<string, number>;
  readonly total: number;
  readonly check: CheckResult;
  readonly report: string;
}

const kinds: readonly FaultKind[] = [
  killProcess('upload', 10),
  killProcess('ingest', 10),
  killProcess('read', 3),
  freezeProcess('upload', 2, 1_500),
  freezeProcess('ingest', 4, 3_000),
  wipeRedis,
  killS3,
  killPostgres,
  killBackend,
  endBackends,
  cutPart('postgres', 10),
  cutPart('redis', 10),
  cutPart('s3', 10),
  partition,
  latency,
  halfOpen,
  halfOpenClients,
  ...(['internal-error', 'slow-down', 'reset', 'lost-response', 'truncated'] as const).map(failS3),
];

/** Faults that failpoints trigger within the product. */
const failpoints = {
  upload:
    'before-object-put=throw:0.02,after-object-put=throw:0.05,before-ledger-commit=throw:0.01,after-ledger-commit=throw:0.01,after-ledger-commit=kill:0.0003',
  ingest:
    'after-claim=throw:0.02,before-ingest-commit=throw:0.03,after-ingest-commit=throw:0.03,before-ingest-commit=kill:0.002,after-original-put=throw:0.05,after-original-commit=throw:0.05',
} as const;

/** Yields the sequence of faults and the pauses before them, which depends only on the seed. */
export function* schedule(
  seed: number,
): Generator<{ readonly kind: FaultKind; readonly strike: (stack: Stack) => Promise<Strike>; readonly pauseMs: number }> {
  const random = seededRandom(seed);
  const sum = kinds.reduce((total, { weight }) => total + weight, 0);
  for (;;) {
    let at = random() * sum;
    const kind = kinds.find(({ weight }) => (at -= weight) < 0)!;
    yield { kind, strike: kind.draw(random), pauseMs: random() * 700 };
  }
}

/** Returns a short hash of a seed's schedule, to compare two runs. */
export function scheduleHash(seed: number): string {
  const hash = createHash('sha256');
  let count = 0;
  for (const { kind, pauseMs } of schedule(seed)) {
    hash.update(`${kind.name} ${pauseMs}\n`);
    if (++count === 1_000) break;
  }
  return hash.digest('hex').slice(0, 12);
}

/** Runs a campaign: faults, then a quiet period, then the check. */
export async function runCampaign({ seed, faults: wanted, minutes, timeFactor, say }: CampaignOptions): Promise<CampaignResult> {
  say(`seed ${seed}, schedule ${scheduleHash(seed)}: ${wanted} faults, at most ${minutes} minutes`);
  const stack = await Stack.start({ seed, timeFactor, links: ['client', ...partLinks], s3Faults: true });
  try {
    for (const [kind, list] of Object.entries(failpoints)) await stack.arm(kind as keyof typeof failpoints, list);
    const workload = new Workload(stack, { seed, lanes: 24, flipChance: 0.03, timeoutMs: 8_000, giveUpMs: 300_000 }).start();
    const tally = new Tally(stack, workload);
    const began = performance.now();
    const until = began + minutes * 60_000;
    const isOver = (): boolean => tally.total() >= wanted || performance.now() > until;
    const progress = setInterval(
      () =>
        say(
          `${((performance.now() - began) / 1_000).toFixed(0)} s: ${tally.total()} faults, ${workload.log.entries.length} appends, ${workload.files.length} files`,
        ),
      15_000,
    );
    const weather = makeWeather(stack, tally, seed, isOver);
    for (const { kind, strike, pauseMs } of schedule(seed)) {
      if (isOver()) break;
      tally.add(kind.name, await strike(stack));
      await sleep(pauseMs);
    }
    await weather;
    clearInterval(progress);
    const faultSeconds = (performance.now() - began) / 1_000;

    say(`${tally.total()} faults in ${faultSeconds.toFixed(0)} s; faults are off, uploads finish`);
    await stack.ready();
    await stack.arm('upload', null);
    await stack.arm('ingest', null);
    await workload.finish();
    const observed = tally.counts(); // Includes those of the last processes.
    const check = await workload.check();
    const delays = workload.visibility.delays();
    const report = [
      `seed ${seed}, schedule ${scheduleHash(seed)}, ${faultSeconds.toFixed(0)} s of faults`,
      ...tally.lines(),
      workload.summary,
      `acknowledged to visible: p50 ${ms(quantile(delays, 0.5))}, p99 ${ms(quantile(delays, 0.99))}, maximum ${ms(delays.at(-1) ?? NaN)} (${delays.length} appends)`,
      checkedLine(check),
      `${check.violations.length} violations`,
      ...check.violations.slice(0, 50).map(({ kind, detail }) => `  ${kind}: ${detail}`),
    ].join('\n');
    await workload.close();
    return { observed, total: tally.total(), check, report };
  } finally {
    await stack.dispose();
  }
}

/** Varies the quality of the clients' connection until the campaign is over. */
async function makeWeather(stack: Stack, tally: Tally, seed: number, isOver: () => boolean): Promise<void> {
  const random = seededRandom(seed + 1);
  const link = stack.link('client');
  while (!isOver()) {
    const { faults, ms: lasts } = drawWeather(random);
    const { held } = link.effects;
    link.faults = faults;
    await sleep(lasts);
    if (faults.partition) tally.add('partition to clients', { observed: link.effects.held > held ? 1 : 0, recoveryMs: null });
  }
  link.faults = {};
}

/** Counts observed faults by kind. */
class Tally {
  readonly #stack: Stack;
  readonly #workload: Workload;
  readonly #struck = new Map<string, { drawn: number; observed: number; recoveries: number[] }>();

  constructor(stack: Stack, workload: Workload) {
    this.#stack = stack;
    this.#workload = workload;
  }

  add(name: string, { observed, recoveryMs }: Strike): void {
    const kind = this.#struck.get(name) ?? { drawn: 0, observed: 0, recoveries: [] };
    this.#struck.set(name, kind);
    kind.drawn++;
    kind.observed += observed;
    if (recoveryMs !== null && observed > 0) kind.recoveries.push(recoveryMs);
  }

  total(): number {
    return [...this.counts().values()].reduce((sum, count) => sum + count, 0);
  }

  counts(): Map<string, number> {
    const { effects } = this.#stack.link('client');
    const counts = new Map([...this.#struck].map(([name, { observed }]) => [name, observed]));
    counts.set('client connection cut', effects.resets);
    counts.set('answer dropped', effects.droppedResponses);
    counts.set('client connection refused', effects.refused);
    counts.set('bit flipped in a body', this.#workload.flipsRejected);
    for (const { strikes } of this.#stack.processes)
      for (const [strike, count] of strikes) counts.set(`failpoint ${strike}`, (counts.get(`failpoint ${strike}`) ?? 0) + count);
    return counts;
  }

  lines(): string[] {
    return [...this.counts()].map(([name, count]) => {
      const recoveries = (this.#struck.get(name)?.recoveries ?? []).sort((a, b) => a - b);
      const recovery =
        recoveries.length === 0 ? '' : `; serves again after p50 ${ms(quantile(recoveries, 0.5))}, p99 ${ms(quantile(recoveries, 0.99))}`;
      return `  ${name}: ${count}${recovery}`;
    });
  }
}
