import { setTimeout as delay } from 'node:timers/promises';
import { secondWorkspace } from '../second-workspace.ts';
import { startService, type Service } from '../service.ts';
import { median, quantile } from '../stats.ts';
import { FileSender, newExperiment } from './file-sender.ts';

/** What the quiet workspace got through in one phase. */
interface Phase {
  readonly appends: number;
  readonly answerP99Ms: number;
}

/** A workspace alone, and beside one with many times its connections. */
export interface Neighbours {
  readonly solo: readonly Phase[];
  readonly beside: readonly Phase[];
  /** Medians over the rounds, beside / alone. */
  readonly throughputRatio: number;
  readonly p99Ratio: number;
  readonly loudServed: number;
  readonly loudRefused: number;
  /** Refusals of the quiet workspace. */
  readonly quietRefused: number;
}

export interface NeighboursOptions {
  readonly connections: number;
  /** Connections of the other workspace for each of these. */
  readonly share: number;
  /** What the other one may send. */
  readonly requestsPerMinute: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** Small, so that requests are what counts, and no event file, so that little is ingested meanwhile. */
const body = Buffer.alloc(4 * 1024, 1);

/**
 * A quiet workspace alone and beside a loud one, in turns (reliability test 32). The loud one has a quota of requests, has used up what it may send at
 * once, and comes back when it is asked to.
 */
export async function neighbours(folder: string, options: NeighboursOptions): Promise<Neighbours> {
  const service = await startService(folder);
  try {
    const loud = { ...service, token: (await secondWorkspace(folder, 'Loud', options.requestsPerMinute)).token };
    const [quietExperiment, loudExperiment] = [await newExperiment(service, 'quiet'), await newExperiment(loud, 'loud')];
    const solo: Phase[] = [];
    const beside: Phase[] = [];
    const noise = { served: 0, refused: 0 };
    let quietRefused = 0;
    const quiet = async (name: string): Promise<Phase> => {
      const { refused, ...phase } = await quietPhase(service, quietExperiment, name, options);
      quietRefused += refused;
      return phase;
    };
    await quiet('warm-up');
    for (let round = 1; round <= options.rounds; round++) {
      solo.push(await quiet(`solo-${round}`));
      const stop = await startNoise(loud, loudExperiment, round, options, noise);
      beside.push(await quiet(`beside-${round}`));
      await stop();
      const [a, b] = [solo.at(-1)!, beside.at(-1)!];
      options.say(
        `round ${round}: ${a.appends} appends alone (p99 ${a.answerP99Ms.toFixed(1)} ms), ${b.appends} beside (p99 ${b.answerP99Ms.toFixed(1)} ms)`,
      );
    }
    return {
      solo,
      beside,
      throughputRatio: median(solo.map((one, i) => beside[i]!.appends / one.appends)),
      p99Ratio: median(solo.map((one, i) => beside[i]!.answerP99Ms / one.answerP99Ms)),
      loudServed: noise.served,
      loudRefused: noise.refused,
      quietRefused,
    };
  } finally {
    await service.stop();
  }
}

async function quietPhase(service: Service, experimentId: string, name: string, { connections, seconds }: NeighboursOptions) {
  const milliseconds: number[] = [];
  let refused = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      const sender = new FileSender(service);
      const fileId = await sender.announce(experimentId, `${name}-${n}`);
      const until = performance.now() + seconds * 1_000;
      for (let offset = 0; performance.now() < until;) {
        const asked = performance.now();
        const { status } = await sender.append(fileId, offset, body);
        if (status === 204) offset += body.length;
        else refused++;
        milliseconds.push(performance.now() - asked);
      }
      sender.close();
    }),
  );
  return { appends: milliseconds.length - refused, answerP99Ms: quantile(milliseconds, 0.99), refused };
}

/** Begins to send on many connections, and waits until each of them was refused: what may be sent at once is used up. Gives what ends it. */
async function startNoise(
  service: Service,
  experimentId: string,
  round: number,
  { connections, share }: NeighboursOptions,
  noise: { served: number; refused: number },
): Promise<() => Promise<void>> {
  let stopping = false;
  const ended = Promise.withResolvers<void>();
  let neverRefused = connections * share;
  const sending = Array.from({ length: connections * share }, async (_, n) => {
    const sender = new FileSender(service);
    let fileId: string | null = null;
    let wasRefused = false;
    const refused = async (waitMs: number): Promise<void> => {
      if (!wasRefused) neverRefused--;
      wasRefused = true;
      noise.refused++;
      await Promise.race([delay(waitMs), ended.promise]);
    };
    for (let offset = 0; !stopping;) {
      try {
        fileId ??= await sender.announce(experimentId, `${round}-${n}`);
      } catch (error) {
        if (!(error instanceof Error) || !error.message.includes(': 429 ')) throw error;
        await refused(1_000);
        continue;
      }
      const { status, retryAfterMs } = await sender.append(fileId, offset, body);
      if (status === 204) {
        offset += body.length;
        noise.served++;
      } else {
        await refused(retryAfterMs ?? 0);
      }
    }
    sender.close();
  });
  while (neverRefused > 0) await delay(50);
  return async () => {
    stopping = true;
    ended.resolve();
    await Promise.all(sending);
  };
}
