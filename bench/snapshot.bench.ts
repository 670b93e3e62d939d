import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryBlobStore } from '#blobs/testing';
import { parseTenantId } from '#model';
import { fingerprintOf, snapshot as openSnapshot, type SnapshotBlobs } from '#snapshots';
import type { Bench, BenchContext } from './lib/bench.ts';
import { generateLogs } from './lib/generate-logs.ts';
import { defaultModel } from './lib/log-model.ts';
import { withTemporaryFolder } from './lib/places.ts';
import type { Report, Row } from './lib/report.ts';
import { type Service, startCommand, startService, upload } from './lib/service.ts';
import { median } from './lib/stats.ts';
import { Watch } from './lib/usage.ts';

const MiB = 1024 * 1024;

interface Export {
  readonly seconds: number;
  readonly peakBytes: number;
}

/**
 * Measures exports of a whole experiment with the real CLI and service, and snapshots of
 * `libs/snapshots` on a store with latency: what a second reader and parallel reading save.
 */
export const snapshot: Bench = {
  name: 'snapshot',
  summary: 'points per second and memory of exports, a second export of the same, and parallel readers of snapshots',
  flags: {
    runs: { default: defaultModel.runs, help: 'runs' },
    tags: { default: defaultModel.tags, help: 'tags per run' },
    steps: { default: 25_000, help: 'steps per tag; with few, the start of the processes is most of the time' },
    rounds: { default: 3, help: 'rounds; the table shows medians' },
    'latency-ms': { default: 20, help: 'time of each request to the object store of the parallel readers' },
    'snapshot-mib': { default: 64, help: 'size of the snapshot that they read' },
  },
  async run(context) {
    const readers = await compareReaders(context);
    return withTemporaryFolder(async (folder) => {
      const model = { ...defaultModel, runs: context.number('runs'), tags: context.number('tags'), steps: context.number('steps') };
      const logs = generateLogs(join(folder, 'logs'), model);
      const service = await startService(join(folder, 'service'));
      try {
        const { receipt } = await upload(service, logs.directory, logs.points);
        context.say(`${logs.points} points are uploaded`);
        const samples: Record<string, Export[]> = { events: [], parquet: [], first: [], second: [] };
        for (let round = 1; round <= context.number('rounds'); round++) {
          const run = async (name: string, ...flags: string[]): Promise<void> => {
            const outdir = join(folder, 'out');
            samples[name]!.push(await exportOnce(service, [receipt.experiment_id, '--outdir', outdir, ...flags]));
            await rm(outdir, { recursive: true });
            context.say(`round ${round}, ${name}: ${samples[name]!.at(-1)!.seconds.toFixed(2)} s`);
          };
          await run('events', '--format', 'events');
          await run('parquet', '--format', 'parquet');
          // Measured once, because stored data remains for a while even if the export is deleted.
          if (round === 1) await run('first', '--format', 'parquet', '--job');
          await run('second', '--format', 'parquet', '--job');
        }
        return reportOf(context, logs.points, samples, readers);
      } finally {
        await service.stop();
      }
    });
  },
};

/** Runs `plotline export` once; returns the seconds that it took and its peak memory. */
async function exportOnce(service: Service, args: readonly string[]): Promise<Export> {
  const begun = performance.now();
  const running = startCommand(service, ['export', ...args, '--json']);
  const watch = new Watch(running.pid, 20, { postgres: false });
  const code = await running.exited;
  const seconds = (performance.now() - begun) / 1000;
  const { peakResident } = watch.stop();
  if (code !== 0) throw new Error(`plotline export exited with ${code}\n${running.output()}`);
  return { seconds, peakBytes: peakResident };
}

/**
 * Measures the seconds to read a snapshot with one split and with four splits, from a store with
 * slow requests.
 */
async function compareReaders(context: BenchContext): Promise<{ readonly one: number; readonly four: number }> {
  const latency = context.number('latency-ms');
  const store = new MemoryBlobStore();
  const blobs: SnapshotBlobs = {
    get: async (...args) => {
      await delay(latency);
      return store.get(...args);
    },
    put: (tenant, key, bytes) => store.put(tenant, key, bytes),
    putIfAbsent: (...args) => store.putIfAbsent(...args),
    delete: (...args) => store.delete(...args),
    list: (...args) => store.list(...args),
  };
  const tenantId = parseTenantId('00000000-0000-4000-8000-000000000001');
  const elements = async function* (): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < context.number('snapshot-mib'); i++) yield Buffer.alloc(MiB, i);
  };
  const secondsWith = async (splits: number): Promise<number> => {
    const options = {
      blobs,
      tenantId,
      now: () => Promise.resolve(Date.now()),
      fingerprint: fingerprintOf(`bench ${splits}`),
      compression: 'none',
      chunkBytes: 1,
      writer: { splits },
    } as const;
    const written = await openSnapshot(elements, options);
    for await (const _ of written.elements);
    const times: number[] = [];
    for (let round = 0; round < context.number('rounds'); round++) {
      const begun = performance.now();
      const { state, elements: read } = await openSnapshot(elements, options);
      if (state !== 'READ') throw new Error(`the snapshot is not read but ${state}`);
      for await (const _ of read);
      times.push((performance.now() - begun) / 1000);
    }
    return median(times);
  };
  return { one: await secondsWith(1), four: await secondsWith(4) };
}

function reportOf(
  context: BenchContext,
  points: number,
  samples: Readonly<Record<string, readonly Export[]>>,
  { one, four }: { readonly one: number; readonly four: number },
): Report {
  const secondsOf = (name: string): number => median(samples[name]!.map(({ seconds }) => seconds));
  const rate = (name: string): number => points / secondsOf(name) / 1e6;
  const peak = Math.max(...Object.values(samples).flatMap((list) => list.map(({ peakBytes }) => peakBytes)));
  const rows: Row[] = [
    { measure: 'event files', value: rate('events'), unit: 'M points/s', atLeast: 1.5, note: 'from the start of the command to its exit' },
    { measure: 'Parquet', value: rate('parquet'), unit: 'M points/s', atLeast: 2 },
    { measure: 'peak memory of the command', value: peak / MiB, unit: 'MiB', atMost: 300 },
    {
      measure: 'second export of the same / first',
      value: secondsOf('second') / secondsOf('first'),
      unit: '',
      atMost: 0.1,
      note: `by the service: ${secondsOf('first').toFixed(2)} s, then ${secondsOf('second').toFixed(2)} s`,
    },
    {
      measure: 'reading four splits / one split',
      value: one / four,
      unit: '×',
      atLeast: 2.5,
      note: `${context.number('latency-ms')} ms per request: ${one.toFixed(2)} s, then ${four.toFixed(2)} s`,
    },
  ];
  const parameters = { points, rounds: context.number('rounds'), snapshot_mib: context.number('snapshot-mib') };
  return { bench: 'snapshot', parameters, rows, samples };
}
