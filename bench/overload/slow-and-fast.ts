import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#testing';
import { scrape } from '../lib/scrape.ts';
import { startServiceApart } from '../lib/apart.ts';
import { type Service, startService } from '../lib/service.ts';
import { median, quantile } from '../lib/stats.ts';
import { FileSender, newExperiment, SlowBody } from './file-sender.ts';

/** The fast clients' throughput and the service's state in a phase. */
interface Phase {
  readonly bytesPerSecond: number;
  readonly responseP99Ms: number;
  readonly loopP99Ms: number;
}

export interface SlowAndFast {
  readonly solo: readonly Phase[];
  readonly beside: readonly Phase[];
  /** Median over the rounds: the fast clients' rate beside slow clients / alone. */
  readonly ratio: number;
  /** Memory of the process that receives uploads (VmHWM). */
  readonly peakBytes: number;
  readonly slowCut: number;
}

/**
 * Measures fast clients alone and beside slow clients, interleaved (reliability test 55), against a
 * service in one process, or against an upload process without a proxy. The bytes are not an event
 * file, so the service ingests almost nothing.
 */
export async function slowAndFast(
  folder: string,
  options: {
    readonly slow: number;
    readonly fast: number;
    readonly seconds: number;
    readonly rounds: number;
    readonly apart: boolean;
    readonly say: (line: string) => void;
  },
): Promise<SlowAndFast> {
  const metricsPort = await freePort();
  const settings = { PLOTLINE_METRICS_PORT: String(metricsPort) };
  const { whole, service, peakBytes } = options.apart ? await startApart(folder, settings) : await startEmbedded(folder, settings);
  const loopP99 = () => scrape(`http://127.0.0.1:${metricsPort}/metrics`, 'nodejs_eventloop_lag_p99_seconds');
  try {
    const experimentId = await newExperiment(whole, 'slow and fast');
    const solo: Phase[] = [];
    const beside: Phase[] = [];
    let slowCut = 0;
    await phase(service, experimentId, options, 'warm-up', loopP99);
    for (let round = 1; round <= options.rounds; round++) {
      solo.push(await phase(service, experimentId, options, `solo-${round}`, loopP99));
      const slow = await openSlow(service, experimentId, options.slow, round);
      beside.push(await phase(service, experimentId, options, `beside-${round}`, loopP99));
      slowCut += slow.filter(({ cut }) => cut).length;
      for (const body of slow) body.close();
      const [a, b] = [solo.at(-1)!, beside.at(-1)!];
      options.say(
        `round ${round}: alone ${(a.bytesPerSecond / 1e6).toFixed(0)} MB/s, beside ${options.slow} slow clients ${(b.bytesPerSecond / 1e6).toFixed(0)} MB/s, loop p99 ${b.loopP99Ms.toFixed(0)} ms`,
      );
    }
    const ratio = median(solo.map((one, i) => beside[i]!.bytesPerSecond / one.bytesPerSecond));
    return { solo, beside, ratio, peakBytes: peakBytes(), slowCut };
  } finally {
    await whole.stop();
  }
}

/** The part of a service that the clients send to. */
interface Uploads {
  readonly whole: Service;
  readonly service: Service;
  readonly peakBytes: () => number;
}

async function startEmbedded(folder: string, settings: Readonly<Record<string, string>>): Promise<Uploads> {
  const whole = await startService(folder, settings);
  return { whole, service: whole, peakBytes: () => whole.usage().peakResident };
}

async function startApart(folder: string, uploadSettings: Readonly<Record<string, string>>): Promise<Uploads> {
  const whole = await startServiceApart(folder, {}, { uploadSettings });
  return { whole, service: { ...whole, origin: whole.uploadOrigin }, peakBytes: () => whole.peaks().upload };
}

async function openSlow(service: Service, experimentId: string, count: number, round: number): Promise<SlowBody[]> {
  const sender = new FileSender(service);
  const bodies: SlowBody[] = [];
  for (let n = 0; n < count; n++) bodies.push(new SlowBody(service, await sender.announce(experimentId, `slow-${round}-${n}`), 1_024));
  sender.close();
  await delay(1_500); // Each body has sent something.
  return bodies;
}

async function phase(
  service: Service,
  experimentId: string,
  { fast, seconds }: { readonly fast: number; readonly seconds: number },
  name: string,
  loopP99: () => Promise<number>,
): Promise<Phase> {
  const body = Buffer.alloc(128 * 1024, 1);
  const milliseconds: number[] = [];
  const senders = Array.from({ length: fast }, () => new FileSender(service));
  const fileIds: string[] = [];
  for (const [n, sender] of senders.entries()) fileIds.push(await sender.announce(experimentId, `${name}-${n}`));
  await loopP99(); // Resets the event loop histogram.
  const started = performance.now();
  const until = started + seconds * 1_000;
  await Promise.all(
    senders.map(async (sender, n) => {
      for (let offset = 0; performance.now() < until; offset += body.length) {
        const asked = performance.now();
        const { status } = await sender.append(fileIds[n]!, offset, body);
        if (status !== 204) throw new Error(`an append got status ${status}`);
        milliseconds.push(performance.now() - asked);
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1_000;
  const lag = (await loopP99()) * 1_000;
  for (const sender of senders) sender.close();
  return { bytesPerSecond: (milliseconds.length * body.length) / elapsed, responseP99Ms: quantile(milliseconds, 0.99), loopP99Ms: lag };
}
