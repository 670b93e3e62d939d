import { secondWorkspace } from '../lib/second-workspace.ts';
import { startService, type Service } from '../lib/service.ts';
import { median, quantile } from '../lib/stats.ts';
import { FileSender, newExperiment } from './file-sender.ts';
import { LoudClients, type NoiseTarget } from './loud-clients.ts';
import { smallBody } from './small-body.ts';

/** Throughput and latency of the quiet workspace in a phase. */
interface Phase {
  readonly appends: number;
  readonly responseP99Ms: number;
}

/** A workspace alone, and beside one with many times its connections. */
export interface Neighbours {
  readonly solo: readonly Phase[];
  readonly beside: readonly Phase[];
  /** Medians over the rounds, beside / alone. */
  readonly throughputRatio: number;
  readonly p99Ratio: number;
  readonly loudServed: number;
  readonly loudRejected: number;
  /** Rejected requests of the quiet workspace. */
  readonly quietRejected: number;
}

export interface NeighboursOptions {
  readonly connections: number;
  /** The loud workspace's connections per connection of the quiet workspace. */
  readonly share: number;
  /** The loud workspace's request quota. */
  readonly requestsPerMinute: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/**
 * Measures a quiet workspace alone and beside a loud one, interleaved (reliability test 32). The
 * loud workspace has a request quota, has used up its burst, and honors Retry-After. While the
 * quiet workspace is alone, the loud clients send to a stand-in, so that they cost this machine the
 * same.
 */
export async function neighbours(folder: string, options: NeighboursOptions): Promise<Neighbours> {
  const service = await startService(folder);
  const clients = new LoudClients();
  try {
    const loud = { ...service, token: (await secondWorkspace(folder, 'Loud', options.requestsPerMinute)).token };
    const [quietExperiment, loudExperiment] = [await newExperiment(service, 'quiet'), await newExperiment(loud, 'loud')];
    const solo: Phase[] = [];
    const beside: Phase[] = [];
    let [loudServed, loudRejected] = [0, 0];
    let quietRejected = 0;
    const quiet = async (name: string): Promise<Phase> => {
      const { rejected, ...phase } = await quietPhase(service, quietExperiment, name, options);
      quietRejected += rejected;
      return phase;
    };
    const connections = options.connections * options.share;
    const noise: Omit<NoiseTarget, 'service' | 'name'> = {
      experimentId: loudExperiment,
      connections,
      requestsPerMinute: options.requestsPerMinute,
    };
    await quiet('warm-up');
    for (let round = 1; round <= options.rounds; round++) {
      const away = await clients.begin({ ...noise, service: null, name: `${round}` });
      solo.push(await quiet(`solo-${round}`));
      await away();
      const { origin, token } = loud;
      const here = await clients.begin({ ...noise, service: { origin, token }, name: `${round}` });
      beside.push(await quiet(`beside-${round}`));
      const { served, rejected } = await here();
      loudServed += served;
      loudRejected += rejected;
      const [a, b] = [solo.at(-1)!, beside.at(-1)!];
      options.say(
        `round ${round}: ${a.appends} appends alone (p99 ${a.responseP99Ms.toFixed(1)} ms), ${b.appends} beside (p99 ${b.responseP99Ms.toFixed(1)} ms)`,
      );
    }
    return {
      solo,
      beside,
      throughputRatio: median(solo.map((one, i) => beside[i]!.appends / one.appends)),
      p99Ratio: median(solo.map((one, i) => beside[i]!.responseP99Ms / one.responseP99Ms)),
      loudServed,
      loudRejected,
      quietRejected,
    };
  } finally {
    clients.close();
    await service.stop();
  }
}

async function quietPhase(service: Service, experimentId: string, name: string, { connections, seconds }: NeighboursOptions) {
  const milliseconds: number[] = [];
  let rejected = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      const sender = new FileSender(service);
      const fileId = await sender.announce(experimentId, `${name}-${n}`);
      const until = performance.now() + seconds * 1_000;
      for (let offset = 0; performance.now() < until;) {
        const asked = performance.now();
        const { status } = await sender.append(fileId, offset, smallBody);
        if (status === 204) offset += smallBody.length;
        else rejected++;
        milliseconds.push(performance.now() - asked);
      }
      sender.close();
    }),
  );
  return { appends: milliseconds.length - rejected, responseP99Ms: quantile(milliseconds, 0.99), rejected };
}
