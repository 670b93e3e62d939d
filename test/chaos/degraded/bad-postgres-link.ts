import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { administer } from '../faults.ts';
import type { FaultProxy } from '../proxy.ts';
import { ms, type MustReject } from './prober.ts';
import type { DegradedScenario } from './report.ts';
import { type Trial, trial } from './trial.ts';

interface BadLink {
  readonly name: string;
  readonly strike: (link: FaultProxy) => void;
  readonly mustReject: MustReject;
}

const badLinks: readonly BadLink[] = [
  { name: 'Postgres 2 s late', strike: (link) => (link.faults = { latencyMs: 2_000 }), mustReject: 'an append' },
  { name: 'black hole', strike: (link) => (link.faults = { partition: true }), mustReject: 'an append' },
  // New connections work: an append that uses none of the old connections succeeds.
  { name: 'half-open connections', strike: (link) => link.halfOpenAll(), mustReject: 'a request' },
  {
    name: 'half-open connections and a black hole',
    strike: (link) => {
      link.halfOpenAll();
      link.faults = { partition: true };
    },
    mustReject: 'an append',
  },
];

/**
 * Time limit of a response. The pause after each fault has the same length, so that no request
 * encounters two faults.
 */
const limitMs = 3_000;

/**
 * Connections that a process may have: pools, threads, and a listener. Probes are opened and
 * closed.
 */
const maxConnections = 60;

/**
 * The link between all processes and Postgres fails in each way, for a few seconds each, during an
 * upload.
 */
export const badPostgresLink: DegradedScenario = {
  test: 62,
  name: 'Postgres slow, a black hole, half-open',
  run: (options) =>
    trial(options, { stack: { links: ['postgres'] } }, async (parts) => {
      const { prober, report } = parts;
      await prober.wellAfter(performance.now());
      for (const bad of badLinks) await endure(parts, bad, options.full ? 15_000 : 5_000);
      const leaked = await oldTransactions(parts);
      report.must(leaked.length === 0, `transactions were leaked: ${JSON.stringify(leaked)}`);
    }),
};

async function endure({ stack, prober, report }: Trial, { name, strike, mustReject }: BadLink, lastsMs: number): Promise<void> {
  const link = stack.link('postgres');
  const began = performance.now();
  strike(link);
  let max = 0;
  for (const until = began + lastsMs; performance.now() < until; await sleep(100)) max = Math.max(max, await connectionsTo(link.port));
  const healed = performance.now();
  link.faults = {};
  const recovery = await prober.wellAfter(healed);
  prober.judge(name, began, healed, limitMs, { mustReject });
  report.figure(`${name}: normal ${ms(recovery)} later; at most ${max} connections`);
  report.mustTake(`${name}: normal again`, recovery, 5_000);
  report.must(max <= maxConnections, `${name}: ${max} connections, more than ${maxConnections}`);
  await sleep(Math.max(0, healed + limitMs - performance.now()));
}

/**
 * Counts the current client connections to a port of this machine, as the kernel counts them; 0
 * without /proc.
 */
async function connectionsTo(port: number): Promise<number> {
  const table = await readFile('/proc/net/tcp', 'utf8').catch(() => '');
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').filter((line) => {
    const [, , to, state] = line.trim().split(/\s+/);
    return state === '01' && to!.endsWith(remote);
  }).length;
}

/** Returns leaked transactions: idle for longer than Postgres allows. */
async function oldTransactions({ stack }: Trial): Promise<unknown[]> {
  const stuck = `select pid, usename, state, now() - xact_start as age, query from pg_stat_activity
    where backend_type = 'client backend' and state like 'idle in transaction%' and state_change < now() - interval '5 seconds'`;
  // Connections that the last fault broke are closed at their next use.
  for (const until = performance.now() + 5_000; performance.now() < until; await sleep(250))
    if ((await administer(stack, stuck)).length === 0) return [];
  return administer(stack, stuck);
}
