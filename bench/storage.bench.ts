import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, BenchContext } from './lib/bench.ts';
import { diskBytes } from './lib/disk.ts';
import { generateLogs } from './lib/generate-logs.ts';
import { condensedSettings, measureLive, measureLiveCondensed } from './lib/live.ts';
import { defaultModel, entropyFloor } from './lib/log-model.ts';
import { withTemporaryFolder } from './lib/places.ts';
import { Database, type TableSize } from './lib/postgres.ts';
import type { Report, Row } from './lib/report.ts';
import { type EmbeddedService, startService, upload } from './lib/service.ts';

/** Tables that describe the event files' bytes; all other application tables count as points. */
const ledgerTables = new Set(['event_file', 'segment', 'pending_segment', 'file_progress', 'file_problem']);

/**
 * Measures the bytes on disk per point after a bulk upload, compared with the entropy floor of the
 * logs; with `--live`, the bytes written during a training run.
 */
export const storage: Bench = {
  name: 'storage',
  summary:
    'bytes on disk per point after an upload, compared with the entropy floor; --live: bytes written per point during a training run',
  flags: {
    runs: { default: defaultModel.runs, help: 'runs' },
    tags: { default: defaultModel.tags, help: 'tags per run' },
    steps: { default: defaultModel.steps, help: 'steps per tag' },
    live: { default: false, help: 'a training run that logs a point per second and tag, at thirty times the speed' },
    'real-time': { default: false, help: 'with --live: in real time, watched by the CLI' },
    seconds: { default: 3_600, help: 'with --live: duration; includes one checkpoint, as the service makes one per hour' },
  },
  async run(context) {
    return withTemporaryFolder(async (folder) => {
      const condensed = context.on('live') && !context.on('real-time');
      const service = await startService(join(folder, 'data'), condensed ? condensedSettings : {});
      try {
        return context.on('live') ? await live(context, service, folder) : await bulk(context, service, folder);
      } finally {
        await service.stop();
      }
    });
  },
};

async function bulk(context: BenchContext, service: EmbeddedService, folder: string): Promise<Report> {
  const model = { ...defaultModel, runs: context.number('runs'), tags: context.number('tags'), steps: context.number('steps') };
  const logs = generateLogs(join(folder, 'logs'), model);
  await upload(service, logs.directory, logs.points);
  const database = await Database.open(service.dataFolder);
  try {
    const blobs = await settledBytes(service, context);
    await database.checkpoint();
    const tables = await database.tableSizes();
    const sum = (pick: (table: TableSize) => boolean): number =>
      tables.filter(pick).reduce((total, { bytes }) => total + bytes, 0) / logs.points;
    const floor = entropyFloor(model);
    const rows: Row[] = [
      {
        measure: 'points: tables, indexes, rollups, out-of-line values',
        value: sum(({ table }) => !ledgerTables.has(table)),
        unit: 'bytes/point',
        atMost: 8,
      },
      ...tables.slice(0, 4).map(({ table, bytes }) => ({ measure: `  table ${table}`, value: bytes / logs.points, unit: 'bytes/point' })),
      {
        measure: 'entropy floor, with wall times per series',
        value: floor.value + floor.wallTime,
        unit: 'bytes/point',
        note: `value ${floor.value.toFixed(2)} + wall time ${floor.wallTime.toFixed(2)}`,
      },
      { measure: 'entropy floor, with one clock for all series of a run', value: floor.value + floor.sharedWallTime, unit: 'bytes/point' },
      {
        measure: 'originals: blob folder and ledger',
        value: blobs / logs.points + sum(({ table }) => ledgerTables.has(table)),
        unit: 'bytes/point',
        atMost: 12,
      },
      { measure: 'event files as they were logged', value: logs.bytes / logs.points, unit: 'bytes/point' },
    ];
    const parameters = { runs: model.runs, tags: model.tags, steps: model.steps, points: logs.points };
    return { bench: 'storage', parameters, rows, samples: { tables, blob_bytes: blobs } };
  } finally {
    await database.close();
  }
}

/** Longer than the service's interval for joining finished files. */
const quietSeconds = 15;

/**
 * Returns the size of the data folder without Postgres, once it no longer changes: the service
 * joins originals after an upload.
 */
async function settledBytes(service: EmbeddedService, context: BenchContext): Promise<number> {
  const beside = (): number => diskBytes(service.dataFolder) - diskBytes(join(service.dataFolder, 'postgres'));
  let bytes = beside();
  for (let quiet = 0, seconds = 0; quiet < quietSeconds && seconds < 180; seconds++) {
    await delay(1_000);
    const now = beside();
    quiet = now === bytes ? quiet + 1 : 0;
    bytes = now;
    if (seconds === 179) context.say('the blob folder was still changing after three minutes');
  }
  return bytes;
}

async function live(context: BenchContext, service: EmbeddedService, folder: string): Promise<Report> {
  const seconds = context.number('seconds');
  const tags = context.number('tags');
  const options = { seconds, tags, say: context.say };
  const found = context.on('real-time')
    ? await measureLive(service, join(folder, 'live'), options)
    : await measureLiveCondensed(service, options);
  const per = (bytes: number): number => bytes / found.points;
  const rows: Row[] = [
    {
      measure: 'written to disk: WAL, tables and indexes, files; one checkpoint included',
      value: per(found.walBytes + found.dataWritten + found.serviceWritten),
      unit: 'bytes/point',
      atMost: 150,
    },
    { measure: '  WAL', value: per(found.walBytes), unit: 'bytes/point', note: 'full-page images included' },
    { measure: '  tables and indexes, in whole pages', value: per(found.dataWritten), unit: 'bytes/point' },
    { measure: '  files of the service', value: per(found.serviceWritten), unit: 'bytes/point' },
    {
      measure: 'WAL as passed to the system; each flush is at least 8 KiB',
      value: per(found.walWritten),
      unit: 'bytes/point',
      note: `${(found.commits / found.seconds).toFixed(1)} commits a second`,
    },
    { measure: 'full-page images in the WAL', value: found.fullPageImages, unit: 'pages', note: 'once per page and checkpoint' },
    { measure: 'event file', value: per(found.fileBytes), unit: 'bytes/point' },
  ];
  return { bench: 'storage --live', parameters: { seconds, tags, points: found.points }, rows, samples: { found } };
}
