import { pathToFileURL } from 'node:url';
import { PointCollector } from '#points';
import { RecordReader } from '#records';
import type { Bench } from './lib/bench.ts';
import { EventWriter, type ScalarForm, scalarForms, scalarTag } from './lib/event-writer.ts';
import { type Report, type Row, toTable } from './lib/report.ts';
import { median } from './lib/stats.ts';

/** The sizes that a worker uses: pieces of a file, and batches of points. */
const pieceBytes = 1024 * 1024;
const takeAfterPoints = 200_000;

/**
 * Parses records to points on one core with checksums verified, without files or a database: the
 * cost of parsing event files alone, for each encoding that writers use for scalars.
 */
export const parse: Bench = {
  name: 'parse',
  summary: 'scalar records per second and core, from bytes to columns, checksums verified',
  flags: {
    records: { default: 2_000_000, help: 'scalar events of the log in memory' },
    tags: { default: 20, help: 'tags, logged round robin' },
    rounds: { default: 5, help: 'rounds; the table shows medians' },
  },
  run(context) {
    const [records, tags, rounds] = [context.number('records'), context.number('tags'), context.number('rounds')];
    const samples: Record<string, Times[]> = {};
    const rows: Row[] = [];
    for (const form of scalarForms) {
      const log = scalarLog(records, tags, form);
      const times = Array.from({ length: rounds }, () => readLog(log, records));
      samples[form] = times;
      const rate = (clock: keyof Times): number => records / median(times.map((time) => time[clock])) / 1e6;
      rows.push({
        measure: form,
        value: rate('cpuSeconds'),
        unit: 'M records/s',
        // The product's bound is for TF2's encoding; the others are shown for comparison.
        ...(form === 'float-val' ? { atLeast: 4 } : {}),
        note: `per core; ${rate('seconds').toFixed(1)} M/s by wall time, ${(log.length / records).toFixed(1)} bytes per record`,
      });
      context.say(`${form}: ${rate('cpuSeconds').toFixed(2)} M records/s`);
    }
    const report: Report = { bench: 'parse', parameters: { records, tags, rounds }, rows, samples };
    return Promise.resolve(report);
  },
};

/** Generates a log of one run in memory. */
function scalarLog(records: number, tags: number, form: ScalarForm): Uint8Array {
  const parts: Uint8Array[] = [];
  const writer = new EventWriter((bytes) => parts.push(bytes.slice()));
  const names = Array.from({ length: tags }, (_, i) => scalarTag(`train/metric_${i}`, form));
  writer.version(1_700_000_000);
  for (let i = 0; i < records; i++) {
    const step = Math.floor(i / tags);
    writer.scalar(names[i % tags]!, step === 0, 1_700_000_000 + i * 1e-4, step, Math.sin(i));
  }
  writer.flush();
  return Buffer.concat(parts);
}

/**
 * The cost of one pass: wall time, and this thread's CPU time, which other load on the machine does
 * not change.
 */
interface Times {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

function readLog(log: Uint8Array, records: number): Times {
  const reader = new RecordReader();
  const collector = new PointCollector();
  const visit = (buf: Uint8Array, start: number, end: number, offset: number) => collector.event(buf, start, end, offset);
  const begun = performance.now();
  const cpuBegun = process.threadCpuUsage();
  let points = 0;
  for (let at = 0; at < log.length; at += pieceBytes) {
    reader.push(log.subarray(at, at + pieceBytes), visit);
    if (collector.pendingPoints >= takeAfterPoints || at + pieceBytes >= log.length) {
      for (const series of collector.take().series) points += series.scalars?.steps.length ?? 0;
    }
  }
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.threadCpuUsage(cpuBegun);
  if (points !== records) throw new Error(`read ${points} points of ${records}`);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const report = await parse.run({ number: (flag) => Number(parse.flags[flag]!.default), on: () => false, say: () => undefined });
  process.stdout.write(`${toTable(report)}\n`);
}
