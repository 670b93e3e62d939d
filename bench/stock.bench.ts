import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, BenchContext } from './lib/bench.ts';
import { generateLogs } from './lib/generate-logs.ts';
import { HttpClient } from './lib/http.ts';
import { defaultModel } from './lib/log-model.ts';
import { orUnavailable } from './peers/python.ts';
import { serveRustBoard } from './peers/rustboard.ts';
import { stockUploader } from './peers/uploader.ts';
import { withTemporaryFolder } from './lib/places.ts';
import type { Report, Row } from './lib/report.ts';
import { type Service, startService, upload } from './lib/service.ts';
import { median, quantile } from './lib/stats.ts';
import { ScalarsReader } from './stock/read-scalars.ts';
import { startSink } from './stock/sink.ts';

/** Charts of this many points for 20 runs at once, which is stock TensorBoard's default request. */
const chartPoints = 1_000;
const warmUp = 50;

/**
 * Compares stock TensorBoard as a reader with its own data server, and its last uploader with the
 * same uploader against a server that stores nothing.
 */
export const stock: Bench = {
  name: 'stock',
  summary:
    'stock TensorBoard: ReadScalars of 20 runs compared with RustBoard from memory, and a stock upload compared with one to a server that stores nothing',
  flags: {
    requests: { default: 500, help: 'ReadScalars requests to each server, interleaved' },
    points: { default: 1_000_000, help: 'scalar points of the stock upload' },
    rounds: { default: 3, help: 'stock uploads to each server, interleaved' },
  },
  run: (context) =>
    withTemporaryFolder(async (folder) => {
      const service = await startService(join(folder, 'data'));
      try {
        const reading = await reads(context, service, folder);
        const uploading = await uploads(context, service, folder);
        return report(context, reading, uploading);
      } finally {
        await service.stop();
      }
    }),
};

interface Reading {
  readonly ours: number[];
  readonly theirs: number[];
  readonly bytes: readonly [ours: number, theirs: number];
}

/** Measures ReadScalars of both servers, interleaved; null without RustBoard. */
async function reads(context: BenchContext, service: Service, folder: string): Promise<Reading | null> {
  const logs = generateLogs(join(folder, 'twenty'), { ...defaultModel, tags: 1, steps: chartPoints });
  const { receipt } = await upload(service, logs.directory, logs.points);
  const board = await orUnavailable(() => serveRustBoard(logs.directory, join(folder, 'rustboard-port'), context.say), context.say);
  if (!board) return null;
  const ours = new ScalarsReader(await targetOf(service), service.token, receipt.experiment_id, chartPoints);
  const theirs = new ScalarsReader(board.target, null, '', chartPoints);
  try {
    context.say(`${context.number('requests')} ReadScalars of each`);
    const samples: Reading = { ours: [], theirs: [], bytes: [(await ours.ask()).bytes, (await theirs.ask()).bytes] };
    for (let n = 0; n < warmUp + context.number('requests'); n++) {
      const [first, second] = [(await ours.ask()).milliseconds, (await theirs.ask()).milliseconds];
      if (n < warmUp) continue;
      samples.ours.push(first);
      samples.theirs.push(second);
    }
    return samples;
  } finally {
    ours.close();
    theirs.close();
    await board.stop();
  }
}

/**
 * Seconds per round: the upload to Plotline, the upload to the sink, and from the end of the former
 * until everything is visible.
 */
interface Uploading {
  readonly ours: number[];
  readonly sink: number[];
  readonly visible: number[];
}

async function uploads(context: BenchContext, service: Service, folder: string): Promise<Uploading | null> {
  const client = await orUnavailable(() => stockUploader(folder, service.token, context.say), context.say);
  if (!client) return null;
  const steps = Math.max(1, Math.round(context.number('points') / 100));
  const logs = generateLogs(join(folder, 'million'), { ...defaultModel, runs: 10, tags: 10, steps });
  // Requests no plugin, so the response lists all plugins that may be uploaded.
  const handshake = await fetch(`${service.origin}/api/uploader`, { method: 'POST', body: new Uint8Array() });
  if (!handshake.ok) throw new Error(`the handshake got status ${handshake.status}`);
  const sink = await startSink(await handshake.bytes());
  const http = new HttpClient();
  const taken: Uploading = { ours: [], sink: [], visible: [] };
  try {
    for (let round = 0; round < context.number('rounds'); round++) {
      context.say(`stock upload of ${logs.points} points, round ${round + 1}`);
      const before = sink.received.bytes;
      taken.sink.push((await client.upload(sink.origin, logs.directory)).seconds);
      if (sink.received.bytes - before < logs.points * 10) throw new Error('the sink did not receive all points');
      const { seconds, stdout } = await client.upload(service.origin, logs.directory);
      taken.ours.push(seconds);
      const experimentId = /\/e\/([A-Za-z0-9]{22})/.exec(stdout)![1]!;
      const ended = performance.now();
      await untilStored(http, service, experimentId, logs.points);
      taken.visible.push((performance.now() - ended) / 1000);
    }
  } finally {
    http.close();
    await sink.stop();
  }
  return taken;
}

/** Waits until all points are readable; throws if the final number differs. */
async function untilStored(http: HttpClient, service: Service, experimentId: string, points: number): Promise<void> {
  const headers = { authorization: `Bearer ${service.token}` };
  for (;;) {
    const found = await http.json<{ points: number; frontier: { visible: boolean } }>(
      `${service.origin}/api/v1/experiments/${experimentId}`,
      { headers },
    );
    if (found.frontier.visible) {
      if (found.points !== points) throw new Error(`logged ${points} points, stored ${found.points}`);
      return;
    }
    await delay(50);
  }
}

/** Returns the gRPC address of the service, without the resolver scheme. */
async function targetOf(service: Service): Promise<string> {
  const response = await fetch(`${service.origin}/api/v1/server`);
  const { grpc } = (await response.json()) as { grpc: { target: string } | null };
  if (!grpc) throw new Error('the service does not serve gRPC');
  return grpc.target.replace('dns:///', '');
}

function report(context: BenchContext, reading: Reading | null, uploading: Uploading | null): Report {
  const missing = 'not measured: its packages could not be installed';
  const ratio = (a: number[] | undefined, b: number[] | undefined): number | null => (a && b ? median(a) / median(b) : null);
  const rows: Row[] = [
    {
      measure: 'ReadScalars of 20 runs x 1,000 points, median, compared with RustBoard from memory',
      value: ratio(reading?.ours, reading?.theirs),
      unit: 'times',
      atMost: 2,
      note: reading
        ? `${median(reading.ours).toFixed(2)} ms and ${median(reading.theirs).toFixed(2)} ms; p99 ${quantile(reading.ours, 0.99).toFixed(2)} and ${quantile(reading.theirs, 0.99).toFixed(2)}; ${reading.bytes.join(' and ')} bytes`
        : missing,
    },
    {
      measure: `stock upload of ${context.number('points')} scalar points, compared with a server that stores nothing`,
      value: ratio(uploading?.ours, uploading?.sink),
      unit: 'times',
      atMost: 1.3,
      note: uploading ? `${median(uploading.ours).toFixed(1)} s and ${median(uploading.sink).toFixed(1)} s` : missing,
    },
    {
      measure: 'from the end of the upload until every point is visible, median',
      value: uploading ? median(uploading.visible) : null,
      unit: 's',
      ...(uploading ? {} : { note: missing }),
    },
  ];
  return {
    bench: 'stock',
    parameters: { requests: context.number('requests'), points: context.number('points'), rounds: context.number('rounds') },
    rows,
    samples: { reading, uploading },
  };
}
