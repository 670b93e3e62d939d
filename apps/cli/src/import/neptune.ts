import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, exitCodes } from '../exit.ts';
import { numberOf, stepOf } from './cells.ts';
import { filesBelow } from './files-below.ts';
import type { ConfigValue, ImportSink } from './import-sink.ts';
import { ScalarBatch } from './scalar-batch.ts';
import { withParquet } from './tables.ts';

/* The columns of neptune-exporter: `src/neptune_exporter/model.py` in its repository. */
const columns = ['run_id', 'attribute_path', 'attribute_type', 'step', 'timestamp', 'int_value', 'float_value', 'string_value', 'bool_value', 'datetime_value', 'string_set_value'] as const; // prettier-ignore

type Cell = (column: (typeof columns)[number]) => unknown;

/**
 * Imports the output of neptune-exporter: a Parquet file, or a folder that contains Parquet files.
 */
export async function importNeptune(path: string, sink: ImportSink): Promise<void> {
  const files = (await stat(path)).isDirectory() ? await parquetFiles(path) : [path];
  if (files.length === 0) throw new CliError(exitCodes.failed, `${path} contains no .parquet files.`, { code: 'nothing-to-import' });
  const batch = new ScalarBatch(sink);
  const configs = new Map<string, Record<string, ConfigValue>>();
  for (const file of files)
    await withParquet(file, async (parquet) => {
      const missing = columns.filter((name) => !parquet.columns.includes(name));
      if (missing.length > 0)
        throw new CliError(exitCodes.failed, `${file} is not a neptune-exporter file: it has no column ${missing.join(', ')}.`);
      for await (const { rows, columns: cells } of parquet.rows(columns))
        for (let i = 0; i < rows; i++) await addRow((column) => cells.get(column)![i], { batch, configs, sink });
    });
  await batch.flush();
  for (const [run, config] of [...configs].sort(([a], [b]) => (a < b ? -1 : 1))) await sink.config(run, config, 0);
}

/** The Parquet files below a folder. The parts of a run are sorted by number. */
async function parquetFiles(folder: string): Promise<string[]> {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return (await filesBelow(folder, '.parquet')).sort(compare).map((name) => join(folder, name));
}

interface Into {
  readonly batch: ScalarBatch;
  readonly configs: Map<string, Record<string, ConfigValue>>;
  readonly sink: ImportSink;
}

async function addRow(cell: Cell, { batch, configs, sink }: Into): Promise<void> {
  const run = cell('run_id');
  const tag = cell('attribute_path');
  const type = cell('attribute_type');
  if (typeof run !== 'string' || typeof tag !== 'string') return sink.skip('rows', 'they have no run or no attribute');
  if (type === 'float_series' || type === 'string_series') {
    const step = stepOf(cell('step'));
    const wallTime = numberIn(cell('timestamp')) ?? 0;
    if (typeof step === 'string')
      return sink.skip(
        `points of the type ${type}`,
        step === 'malformed' ? 'their step is not a whole number' : 'their step is out of range for int64',
      );
    const value = cell('float_value');
    const text = cell('string_value');
    if (type === 'float_series' && typeof value === 'number') return batch.add({ run, step, wallTime }, tag, value);
    if (type === 'string_series' && typeof text === 'string') return sink.text({ run, tag, step, wallTime, text });
    return sink.skip(`points of the type ${type}`, 'they have no value');
  }
  const value = configValue(String(type), cell);
  if (value === undefined) return sink.skip(`attributes of the type ${String(type)}`, 'they are not imported');
  const config = configs.get(run) ?? {};
  configs.set(run, config);
  config[tag] = value;
}

function numberIn(cell: unknown): number | null {
  const value = numberOf(cell);
  return typeof value === 'number' ? value : null;
}

function configValue(type: string, cell: Cell): ConfigValue | undefined {
  if (type === 'float') return numberIn(cell('float_value')) ?? undefined;
  if (type === 'int') return numberIn(cell('int_value')) ?? undefined;
  const value = type === 'bool' ? cell('bool_value') : type === 'string' ? cell('string_value') : undefined;
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  const seconds = type === 'datetime' ? numberIn(cell('datetime_value')) : null;
  if (seconds !== null) return new Date(seconds * 1000).toISOString();
  const set = type === 'string_set' ? cell('string_set_value') : null;
  return Array.isArray(set) ? JSON.stringify(set) : undefined;
}
