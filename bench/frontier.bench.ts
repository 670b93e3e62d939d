import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, BenchContext } from './lib/bench.ts';
import { HttpClient } from './lib/http.ts';
import { LiveFile } from './lib/live-file.ts';
import { withTemporaryFolder } from './lib/places.ts';
import { Database } from './lib/postgres.ts';
import type { Report } from './lib/report.ts';
import { startServiceApart } from './lib/apart.ts';
import { type Service, startService } from './lib/service.ts';
import { median, quantile } from './lib/stats.ts';
import { proportionalBytes } from './lib/usage.ts';

const MiB = 1024 * 1024;

/**
 * Measures how soon clients that wait for an epoch get their response once the epoch is visible,
 * and the cost of open event streams.
 */
export const frontier: Bench = {
  name: 'frontier',
  summary: 'clients that wait for an epoch: delay from visible to response; memory of open event streams',
  flags: {
    clients: { default: 50, help: 'clients that wait for the same epoch' },
    rounds: { default: 40, help: 'epochs' },
    streams: { default: 500, help: 'open event streams' },
    apart: { default: false, help: 'use separate processes over Redis and S3; memory of the read process' },
  },
  run(context) {
    return withTemporaryFolder(async (folder) => {
      const data = join(folder, 'data');
      const settings = { PLOTLINE_INGEST_GROUP_MS: '0' };
      const service = context.on('apart') ? await startServiceApart(data, settings) : await startService(data, settings);
      try {
        return await measure(service, 'pids' in service ? service.pids.read[0]! : service.running.pid, context);
      } finally {
        await service.stop();
      }
    });
  },
};

async function measure(service: Service, reader: number, context: BenchContext): Promise<Report> {
  const file = await LiveFile.open(service);
  const database = await Database.open(service.dataFolder);
  const published = await database.listen('plotline_frontier');
  try {
    for (let n = 0; n < 5; n++) await responseTimes(service, file, published, 5);
    const [responded, shown]: [number[], number[]] = [[], []];
    for (let n = 0; n < context.number('rounds'); n++) {
      const round = await responseTimes(service, file, published, context.number('clients'));
      responded.push(...round.responded);
      shown.push(round.shown);
    }
    const before = proportionalBytes(reader) ?? Number.NaN;
    const streams = await openStreams(service, file, context.number('streams'));
    const delays: number[] = [];
    for (let n = 0; n < context.number('rounds'); n++) {
      const moved = streams.moved(file.epoch + 1);
      const [at] = await Promise.all([published(), file.step()]);
      delays.push((await moved) - at);
    }
    const after = proportionalBytes(reader) ?? Number.NaN;
    streams.close();
    return {
      bench: 'frontier',
      parameters: {
        ...Object.fromEntries(['clients', 'rounds', 'streams'].map((flag) => [flag, context.number(flag)])),
        apart: context.on('apart') ? 1 : 0,
      },
      rows: [
        {
          measure: 'visible until wait_for responds, p99',
          value: quantile(responded, 0.99),
          unit: 'ms',
          atMost: 100,
          note: `median ${median(responded).toFixed(1)}, ${responded.length} answers`,
        },
        {
          measure: 'acknowledged until visible, median',
          value: median(shown),
          unit: 'ms',
          note: `p99 ${quantile(shown, 0.99).toFixed(0)}; no other uploads`,
        },
        {
          measure: `visible until the last of ${context.number('streams')} streams receives it, p99`,
          value: quantile(delays, 0.99),
          unit: 'ms',
          note: `median ${median(delays).toFixed(1)}`,
        },
        { measure: 'memory of the streams (PSS)', value: (after - before) / MiB, unit: 'MiB', atMost: 150 },
      ],
      samples: { responded, shown, told: delays },
    };
  } finally {
    file.close();
    await database.close();
  }
}

/**
 * Measures the milliseconds from the Postgres notification to each response, and from the
 * acknowledgement to the notification.
 */
async function responseTimes(
  service: Service,
  file: LiveFile,
  published: () => Promise<number>,
  clients: number,
): Promise<{ responded: number[]; shown: number }> {
  const url = `${service.origin}/api/v1/experiments/${file.experimentId}/frontier?wait_for=${file.epoch + 1}&timeout=30`;
  const https = Array.from({ length: clients }, () => new HttpClient());
  try {
    const visible = published();
    const responses = https.map(async (http) => {
      await http.expect(url, { headers: file.headers });
      return performance.now();
    });
    await delay(100); // All clients are waiting by then.
    const acknowledged = await file.step();
    const at = await visible;
    return { responded: (await Promise.all(responses)).map((respondedAt) => respondedAt - at), shown: at - acknowledged };
  } finally {
    for (const http of https) http.close();
  }
}

/** Opens event streams. `moved` resolves when all streams have received an epoch as visible. */
async function openStreams(service: Service, file: LiveFile, count: number) {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  let wanted = file.epoch;
  const requests: (() => void)[] = [];
  const open: IncomingMessage[] = [];
  const received = Array.from({ length: count }, () => Promise.withResolvers<void>());
  await Promise.all(
    received.map(
      (first, index) =>
        new Promise<void>((resolve, reject) => {
          requests[index] = first.resolve;
          const request = get(
            `${service.origin}/api/v1/experiments/${file.experimentId}/events`,
            { agent, headers: { authorization: `Bearer ${service.token}` } },
            (response) => {
              if (response.statusCode !== 200) return reject(new Error(`a stream got status ${response.statusCode}`));
              open.push(response);
              response.setEncoding('utf8').on('data', (text: string) => {
                if (text.includes(`{"epoch":${wanted},`)) requests[index]!();
              });
              response.on('error', () => undefined);
              resolve();
            },
          );
          request.on('error', reject);
        }),
    ),
  );
  await Promise.all(received.map(({ promise }) => promise));
  return {
    moved: async (epoch: number): Promise<number> => {
      wanted = epoch;
      await Promise.all(requests.map((_, index) => new Promise<void>((resolve) => (requests[index] = resolve))));
      return performance.now();
    },
    close: (): void => {
      for (const response of open) response.destroy();
      agent.destroy();
    },
  };
}
