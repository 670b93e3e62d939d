import { constants, zstdCompressSync } from 'node:zlib';
import { encodeBlock, openBlock, openItems } from '#columns';
import { PointCollector } from '#points';
import { RecordReader } from '#records';
import { crc32c } from '@node-rs/crc32';
import { ItemParser } from '../apps/ingest/src/ingest-run/item-parser.ts';
import type { Bench } from './lib/bench.ts';
import { scalarTag } from './lib/event-writer.ts';
import { tagNames, writeEvents } from './lib/generate-logs.ts';
import { defaultModel } from './lib/log-model.ts';
import type { Report, Row } from './lib/report.ts';
import { median } from './lib/stats.ts';

/** The largest range that the CLI sends. */
const rangeBytes = 8 * 1024 * 1024;

/**
 * Measures the content coding `plotline-columns` alone, without files, sockets or a database: bytes
 * per point on the wire, and the CPU time of its stages compared with raw bytes.
 */
export const columns: Bench = {
  name: 'columns',
  summary: 'bytes per point of the coding plotline-columns, and processor time of its stages',
  flags: {
    runs: { default: 5, help: 'runs of the log in memory' },
    tags: { default: 20, help: 'tags of each run' },
    steps: { default: 5_000, help: 'steps of each run' },
    rounds: { default: 5, help: 'rounds; the table shows medians' },
  },
  async run(context) {
    const [runs, tags, steps, rounds] = ['runs', 'tags', 'steps', 'rounds'].map((flag) => context.number(flag)) as [
      number,
      number,
      number,
      number,
    ];
    const model = { ...defaultModel, runs, tags, steps };
    const files = Array.from({ length: runs }, (_, run) => {
      const parts: Buffer[] = [];
      writeEvents(
        (bytes) => parts.push(Buffer.from(bytes)),
        model,
        run,
        tagNames(tags).map((tag) => scalarTag(tag, 'float-val')),
      );
      return Buffer.concat(parts);
    });
    const points = runs * tags * steps;
    const ranges = files.flatMap((file) =>
      Array.from({ length: Math.ceil(file.length / rangeBytes) }, (_, i) => file.subarray(i * rangeBytes, (i + 1) * rangeBytes)),
    );
    const crcs = ranges.map((range) => crc32c(range));
    const stages = new Map<string, number[]>();
    const measure = async <T>(stage: string, work: () => Promise<T>): Promise<T> => {
      const before = process.cpuUsage();
      const result = await work();
      const { user, system } = process.cpuUsage(before);
      stages.set(stage, [...(stages.get(stage) ?? []), (user + system) / points]);
      return result;
    };
    let blocks: Buffer[] = [];
    for (let round = 0; round < rounds; round++) {
      blocks = await measure('encode', () => Promise.all(ranges.map(async (range, i) => (await encodeBlock(range, crcs[i]!))!)));
      await measure('decode into bytes', async () => {
        for (const [i, block] of blocks.entries()) {
          const decoder = await openBlock(block, rangeBytes);
          while (!decoder.step(4096));
          if (crc32c(decoder.bytes) !== crcs[i]) throw new Error('a block does not give back its range');
        }
      });
      const read = await measure('points from columns', async () => {
        let count = 0;
        for (const [i, block] of blocks.entries())
          count += readItems(await openItems(block, { bytes: ranges[i]!.length, crc32c: crcs[i]! }), ranges[i]!.length);
        return count;
      });
      const expected = await measure('points from bytes', () => Promise.resolve(ranges.reduce((sum, range) => sum + readBytes(range), 0)));
      if (read !== points || expected !== points) throw new Error(`read ${read} and ${expected} points of ${points}`);
      context.say(`round ${round + 1} of ${rounds}`);
    }
    const sum = (buffers: readonly Buffer[]): number => buffers.reduce((bytes, { length }) => bytes + length, 0);
    const rawBytes = sum(ranges) / points;
    const rows: Row[] = [
      {
        measure: 'bytes per point on the wire',
        value: sum(blocks) / points,
        unit: 'bytes',
        atMost: 6.5,
        note: `${rawBytes.toFixed(1)} as they are`,
      },
      {
        measure: 'the same with zstd 1',
        value: sum(ranges.map((range) => zstdCompressSync(range, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }))) / points,
        unit: 'bytes',
      },
      ...[...stages].map(([stage, times]) => ({ measure: stage, value: median(times), unit: 'µs of processor per point' })),
    ];
    const report: Report = { bench: 'columns', parameters: { runs, tags, steps, rounds }, rows, samples: Object.fromEntries(stages) };
    return report;
  },
};

function readItems(items: Awaited<ReturnType<typeof openItems>>, length: number): number {
  const collector = new PointCollector();
  const visit = (buf: Uint8Array, start: number, end: number, offset: number): boolean => {
    collector.event(buf, start, end, offset);
    return false;
  };
  new ItemParser({ reader: new RecordReader(), collector, visit, needsBytes: () => false, admits: () => true, isFull: () => false }).read({
    items,
    length,
  });
  return pointsOf(collector);
}

function readBytes(range: Uint8Array): number {
  const collector = new PointCollector();
  new RecordReader().push(range, (buf, start, end, offset) => collector.event(buf, start, end, offset));
  return pointsOf(collector);
}

function pointsOf(collector: PointCollector): number {
  return collector.take().series.reduce((sum, { scalars }) => sum + (scalars?.steps.length ?? 0), 0);
}
