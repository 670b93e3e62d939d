import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import type { Bench, BenchContext } from './lib/bench.ts';
import { generateLogs, type GeneratedLogs } from './lib/generate-logs.ts';
import { HttpClient } from './lib/http.ts';
import { defaultModel } from './lib/log-model.ts';
import { FileSender, newExperiment } from './overload/file-sender.ts';
import { withTemporaryFolder } from './lib/places.ts';
import { type Running, start } from './lib/processes.ts';
import type { Row } from './lib/report.ts';
import { type Service, startService, startUpload } from './lib/service.ts';
import { median, quantile } from './lib/stats.ts';
import { ShapedLink } from './transport/shaped-link.ts';

const MiB = 1024 * 1024;
const connectionCounts = [1, 2, 4, 8, 16] as const;
const clientCounts = [1, 4, 16, 64] as const;

/**
 * Measures, as seed 002 did, how much of the bandwidth an upload uses, by number of connections and
 * clients.
 */
export const transport: Bench = {
  name: 'transport',
  summary: 'bytes per second of uploads beside an HTTP sink, over 1 to 16 connections, from 1 to 64 clients, and over a shaped link',
  flags: {
    rounds: { default: 3, help: 'rounds; the table shows medians' },
    'body-mib': { default: 8, help: 'bytes of a request to the sink and to the service' },
    'total-mib': { default: 256, help: 'bytes of each measurement on loopback; 0: skip it, and the clients' },
    'client-kib': { default: 64, help: 'bytes of a request of each of the many clients' },
    'link-mbit': { default: 160, help: 'rate of the shaped link' },
    'link-share': { default: 6.6, help: 'connections that fill it' },
    'link-delay-ms': { default: 5, help: 'its delay in each direction' },
    steps: { default: 7_500, help: 'steps of each tag of the logs that are sent through it; 0: skip it' },
  },
  async run(context) {
    return withTemporaryFolder(async (folder) => {
      const service = await startService(join(folder, 'service'), { PLOTLINE_QUOTA_REQUESTS_PER_MINUTE: '999999999' });
      const sink = start(process.execPath, [join(import.meta.dirname, 'transport/sink.ts')]);
      try {
        const [, port] = await sink.line(/^sink at (\d+)$/m, 10_000);
        const samples = await measure(context, folder, service, `http://127.0.0.1:${port}/`);
        const parameters = Object.fromEntries(Object.keys(transport.flags).map((flag) => [flag, context.number(flag)]));
        return { bench: 'transport', parameters, rows: rowsOf(context, samples), samples };
      } finally {
        await sink.stop();
        await service.stop();
      }
    });
  },
};

type Samples = Record<string, number[]>;

async function measure(context: BenchContext, folder: string, service: Service, sinkUrl: string): Promise<Samples> {
  const samples: Samples = {};
  const note = (name: string, value: number): void => void (samples[name] ??= []).push(value);
  const logs = generateLogs(join(folder, 'logs'), { ...defaultModel, steps: Math.max(1, context.number('steps')) });
  const content = Buffer.concat(logs.files.map((file) => readFileSync(file)));
  for (let round = 1; round <= context.number('rounds'); round++) {
    if (context.number('total-mib') > 0) context.say(`round ${round}: loopback`);
    for (const connections of context.number('total-mib') > 0 ? connectionCounts : []) {
      note(`sink ${connections}`, await sinkRate(context, sinkUrl, connections));
      note(`native ${connections}`, await nativeRate(context, service, content, connections));
    }
    for (const clients of context.number('total-mib') > 0 ? clientCounts : []) {
      const { rate, p50 } = await clientRate(context, service, content, clients);
      note(`clients ${clients}`, rate);
      note(`latency ${clients}`, p50);
    }
    if (context.number('steps') > 0)
      for (const flags of [
        ['--connections', '1'],
        ['--connections', '4'],
        ['--connections', '8'],
        ['--connections', 'auto'],
      ]) {
        const name = `link ${flags[1]}`;
        note(name, await linkShare(context, service, logs, flags));
        context.say(`round ${round}: ${name}: ${samples[name]!.at(-1)!.toFixed(2)} of the link`);
      }
  }
  return samples;
}

/** Measures the bytes per second of `connections` clients that send bodies one after another. */
async function sinkRate(context: BenchContext, url: string, connections: number): Promise<number> {
  const body = Buffer.alloc(context.number('body-mib') * MiB, 1);
  const bodies = Math.ceil((context.number('total-mib') * MiB) / body.length / connections);
  const clients = Array.from({ length: connections }, () => new HttpClient());
  const begun = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (let i = 0; i < bodies; i++) await client.expect(url, { method: 'PATCH', body });
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  for (const client of clients) client.close();
  return (connections * bodies * body.length) / seconds;
}

/**
 * Measures the same for clients that send to files of the service, which stores the bytes durably
 * before it responds.
 */
async function nativeRate(context: BenchContext, service: Service, content: Buffer, connections: number): Promise<number> {
  const bodyBytes = context.number('body-mib') * MiB;
  const bodies = Math.ceil((context.number('total-mib') * MiB) / bodyBytes / connections);
  const experiment = await newExperiment(service, 'transport');
  const senders = await Promise.all(
    Array.from({ length: connections }, async (_, i) => {
      const sender = new FileSender(service);
      return { sender, file: await sender.announce(experiment, `run-${i}`) };
    }),
  );
  const begun = performance.now();
  await Promise.all(senders.map(({ sender, file }) => sendBodies(sender, file, content, bodyBytes, bodies)));
  const seconds = (performance.now() - begun) / 1000;
  for (const { sender } of senders) sender.close();
  return (connections * bodies * bodyBytes) / seconds;
}

/** Sends bodies with the content, repeated as needed; returns the milliseconds per body. */
async function sendBodies(sender: FileSender, file: string, content: Buffer, bodyBytes: number, bodies: number): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let i = 0; i < bodies; i++) {
    const from = (i * bodyBytes) % Math.max(1, content.length - bodyBytes);
    const begun = performance.now();
    const { status } = await sender.append(file, i * bodyBytes, content.subarray(from, from + bodyBytes));
    if (status !== 204) throw new Error(`an append was answered with ${status}`);
    milliseconds.push(performance.now() - begun);
  }
  return milliseconds;
}

/**
 * Requests per second and their median time, for clients that each send small bodies to one file.
 */
async function clientRate(
  context: BenchContext,
  service: Service,
  content: Buffer,
  clients: number,
): Promise<{ readonly rate: number; readonly p50: number }> {
  const bodyBytes = context.number('client-kib') * 1024;
  const bodies = Math.max(8, Math.round(512 / clients));
  const experiment = await newExperiment(service, 'clients');
  const senders = await Promise.all(
    Array.from({ length: clients }, async (_, i) => {
      const sender = new FileSender(service);
      return { sender, file: await sender.announce(experiment, `run-${i}`) };
    }),
  );
  const begun = performance.now();
  const milliseconds = (await Promise.all(senders.map(({ sender, file }) => sendBodies(sender, file, content, bodyBytes, bodies)))).flat();
  const seconds = (performance.now() - begun) / 1000;
  for (const { sender } of senders) sender.close();
  return { rate: milliseconds.length / seconds, p50: quantile(milliseconds, 0.5) };
}

/**
 * Measures the share of the shaped link's bandwidth that `plotline upload` uses with raw bytes,
 * from its start to its exit.
 */
async function linkShare(context: BenchContext, service: Service, logs: GeneratedLogs, flags: readonly string[]): Promise<number> {
  const rate = (context.number('link-mbit') * 1e6) / 8;
  const shape = { rate, connectionRate: rate / context.number('link-share'), delayMs: context.number('link-delay-ms') };
  const link = await ShapedLink.open(new URL(service.origin), shape);
  try {
    const begun = performance.now();
    const running: Running = startUpload({ ...service, origin: link.origin }, logs.directory, [
      '--new',
      '--one-shot',
      '--no-wait',
      '--json',
      '--compress',
      'none',
      ...flags,
    ]);
    const code = await running.exited;
    const seconds = (performance.now() - begun) / 1000;
    if (code !== 0) throw new Error(`plotline upload exited with ${code}\n${running.output()}`);
    return logs.bytes / seconds / rate;
  } finally {
    link.close();
  }
}

function rowsOf(context: BenchContext, samples: Samples): Row[] {
  const of = (name: string): number => median(samples[name]!);
  const rows: Row[] = [];
  for (const connections of samples['native 1'] ? connectionCounts : []) {
    const [native, sink] = [of(`native ${connections}`), of(`sink ${connections}`)];
    rows.push({
      measure: `upload / sink, ${connections} connection${connections === 1 ? '' : 's'}`,
      value: native / sink,
      unit: '',
      ...(connections === 1 && { atLeast: 0.7 }),
      note: `${(native / 1e6).toFixed(0)} MB/s, durable, while it is ingested; the sink ${(sink / 1e6).toFixed(0)} MB/s`,
    });
  }
  for (const clients of samples['clients 1'] ? clientCounts : [])
    rows.push({
      measure: `${clients} client${clients === 1 ? '' : 's'}, ${context.number('client-kib')} KiB per request`,
      value: of(`clients ${clients}`),
      unit: 'requests/s',
      note: `median ${of(`latency ${clients}`).toFixed(1)} ms`,
    });
  if (context.number('steps') > 0)
    for (const connections of ['1', '4', '8', 'auto'])
      rows.push({
        measure: `share of the shaped link, connections: ${connections}`,
        value: of(`link ${connections}`),
        unit: '',
        ...(connections === 'auto' && { atLeast: 0.8 }),
        note: 'raw bytes, from the start of the command to its exit',
      });
  return rows;
}
