import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#testing';
import { hostilePatterns } from '../../apps/read/src/testing/hostile-patterns.ts';
import { EventWriter, scalarTag } from '../lib/event-writer.ts';
import { HttpClient } from '../lib/http.ts';
import { FileSender, newExperiment } from '../overload/file-sender.ts';
import { scrape } from '../lib/scrape.ts';
import { type Service, startService } from '../lib/service.ts';
import { median } from '../lib/stats.ts';

/** How a service responds to filters with patterns that are expensive by design. */
export interface Patterns {
  /** Milliseconds per round, by pattern. */
  readonly milliseconds: Readonly<Record<string, readonly number[]>>;
  readonly mostExpensive: readonly number[];
  /** The same list without a filter. */
  readonly plain: readonly number[];
  /** p99 of the service's event loop delay during the requests. */
  readonly loopP99Ms: number;
}

/** The maximum name length, minus one character for the mismatch at the end. */
const nameLength = 4_095;
/** 25 names of 4 KB: 100 KB in total. */
const names = Array.from({ length: 25 }, (_, n) => {
  const repeated = ['a', 'x', 'b', 'a ', chance()][n % 5]!;
  return `${n}`.padStart(2, '0') + `${repeated.repeat(nameLength).slice(0, nameLength - 2)}!`;
});
/**
 * The most expensive accepted pattern that we found: with random `a` and `b`, nearly every
 * character creates a new automaton state.
 */
const dearest = '.*a.{190}c';

/** Filters runs with long names with each pattern of reliability test 52. */
export async function patterns(folder: string, rounds: number): Promise<Patterns> {
  const metricsPort = await freePort();
  const service = await startService(folder, { PLOTLINE_METRICS_PORT: String(metricsPort) });
  const http = new HttpClient();
  try {
    const runs = `${service.origin}/api/v1/experiments/${await upload(service)}/runs`;
    const headers = { authorization: `Bearer ${service.token}` };
    const list = async (filter: string): Promise<number> => {
      const { status, milliseconds, body } = await http.send(`${runs}?filter=${encodeURIComponent(filter)}`, { headers });
      if (status !== 200 && status !== 400) throw new Error(`${filter} was answered ${status}: ${body.toString('utf8').slice(0, 200)}`);
      return milliseconds;
    };
    while ((await http.json<{ runs: unknown[] }>(runs, { headers })).runs.length < names.length) await delay(100);
    const [plain, dear]: [number[], number[]] = [[], []];
    const found: Record<string, number[]> = {};
    const loopP99 = () => scrape(`http://127.0.0.1:${metricsPort}/metrics`, 'nodejs_eventloop_lag_p99_seconds');
    for (let round = 0; round <= rounds; round++) {
      if (round === 1) await loopP99(); // Resets the event loop histogram.
      const kept = round > 0; // The first round warms up.
      const unfiltered = await list('');
      if (kept) plain.push(unfiltered);
      const expensive = await list(`name ~ ${JSON.stringify(dearest)}`);
      if (kept) dear.push(expensive);
      for (const pattern of hostilePatterns) {
        const ms = await list(`name ~ ${JSON.stringify(pattern)}`);
        if (kept) (found[pattern] ??= []).push(ms);
      }
    }
    return { milliseconds: found, mostExpensive: dear, plain, loopP99Ms: (await loopP99()) * 1_000 };
  } finally {
    http.close();
    await service.stop();
  }
}

/** Returns the pattern with the highest median. */
export function worst({ milliseconds }: Patterns): { readonly pattern: string; readonly ms: number } {
  const all = Object.entries(milliseconds).map(([pattern, each]) => ({ pattern, ms: median(each) }));
  return all.reduce((longest, one) => (one.ms > longest.ms ? one : longest));
}

/** Uploads a point to one run per name; returns the experiment id. */
async function upload(service: Service): Promise<string> {
  const experimentId = await newExperiment(service, 'names');
  const pieces: Uint8Array[] = [];
  const writer = new EventWriter((bytes) => pieces.push(Uint8Array.from(bytes)));
  writer.version(1_780_000_000);
  writer.scalar(scalarTag('loss', 'float-val'), true, 1_780_000_000, 0, 1);
  writer.flush();
  const sender = new FileSender(service);
  for (const name of names) await sender.append(await sender.announce(experimentId, name), 0, Buffer.concat(pieces));
  sender.close();
  return experimentId;
}

/** Returns random `a` and `b`, up to the maximum name length. */
function chance(): string {
  return Array.from({ length: nameLength }, () => 'ab'[Math.floor(Math.random() * 2)]).join('');
}
