import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#testing';
import { scrape } from '../scrape.ts';
import { startServiceApart } from '../apart.ts';
import type { Service } from '../service.ts';
import { median, quantile } from '../stats.ts';
import { FileSender, newExperiment, SlowBody } from './file-sender.ts';

/** One phase: what the fast clients got through, and how the service fared. */
interface Phase {
  readonly bytesPerSecond: number;
  readonly answerP99Ms: number;
  readonly loopP99Ms: number;
}

export interface SlowAndFast {
  readonly solo: readonly Phase[];
  readonly beside: readonly Phase[];
  /** Median over the rounds of the fast clients' rate beside slow ones to their rate alone. */
  readonly ratio: number;
  /** Of the upload process (VmHWM). */
  readonly peakBytes: number;
  readonly slowCut: number;
}

/**
 * Fast clients alone and beside slow ones, in turns, and what the upload process takes for it (reliability test 55). Nothing stands between them and it. The bytes are
 * no event file, so that little is ingested meanwhile.
 */
export async function slowAndFast(
  folder: string,
  options: {
    readonly slow: number;
    readonly fast: number;
    readonly seconds: number;
    readonly rounds: number;
    readonly say: (line: string) => void;
  },
): Promise<SlowAndFast> {
  const metricsPort = await freePort();
  const apart = await startServiceApart(folder, {}, { uploadSettings: { PLOTLINE_METRICS_PORT: String(metricsPort) } });
  const service: Service = { ...apart, origin: apart.uploadOrigin };
  const loopP99 = () => scrape(`http://127.0.0.1:${metricsPort}/metrics`, 'nodejs_eventloop_lag_p99_seconds');
  try {
    const experimentId = await newExperiment(apart, 'slow and fast');
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
        `round ${round}: alone ${(a.bytesPerSecond / 1e6).toFixed(0)} MB/s, beside ${options.slow} slow ones ${(b.bytesPerSecond / 1e6).toFixed(0)} MB/s, loop p99 ${b.loopP99Ms.toFixed(0)} ms`,
      );
    }
    const ratio = median(solo.map((one, i) => beside[i]!.bytesPerSecond / one.bytesPerSecond));
    return { solo, beside, ratio, peakBytes: apart.peaks().upload, slowCut };
  } finally {
    await apart.stop();
  }
}

async function openSlow(service: Service, experimentId: string, count: number, round: number): Promise<SlowBody[]> {
  const sender = new FileSender(service);
  const bodies: SlowBody[] = [];
  for (let n = 0; n < count; n++) bodies.push(new SlowBody(service, await sender.announce(experimentId, `slow-${round}-${n}`), 1_024));
  sender.close();
  await delay(1_500); // each has sent something
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
  await loopP99(); // begins to count anew
  const started = performance.now();
  const until = started + seconds * 1_000;
  await Promise.all(
    senders.map(async (sender, n) => {
      for (let offset = 0; performance.now() < until; offset += body.length) {
        const asked = performance.now();
        const { status } = await sender.append(fileIds[n]!, offset, body);
        if (status !== 204) throw new Error(`an append was answered ${status}`);
        milliseconds.push(performance.now() - asked);
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1_000;
  const lag = (await loopP99()) * 1_000;
  for (const sender of senders) sender.close();
  return { bytesPerSecond: (milliseconds.length * body.length) / elapsed, answerP99Ms: quantile(milliseconds, 0.99), loopP99Ms: lag };
}
