import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CliError, exitCodes } from '../exit.ts';
import { dateOf } from './cells.ts';
import { flatConfig, type ImportedMoment, type ImportSink } from './import-sink.ts';
import { parsePythonJson } from './python-json.ts';
import { ScalarBatch } from './scalar-batch.ts';
import { tablesOf, withSqlite } from './sqlite.ts';

/** Imports Trackio projects: a database `PROJECT.db`, or the folder that contains the databases. */
export async function importTrackio(path: string, sink: ImportSink): Promise<void> {
  const isFolder = (await stat(path)).isDirectory();
  const files = isFolder
    ? (await readdir(path))
        .filter((name) => name.endsWith('.db'))
        .sort()
        .map((name) => join(path, name))
    : [path];
  if (files.length === 0) throw new CliError(exitCodes.failed, `${path} contains no .db files.`, { code: 'nothing-to-import' });
  for (const file of files)
    await withSqlite(file, async (database) => {
      const tables = tablesOf(database);
      if (!tables.has('metrics')) throw new CliError(exitCodes.failed, `${file} is not a Trackio database: it has no table "metrics".`);
      await importDatabase(database, tables, sink);
    });
}

async function importDatabase(database: DatabaseSync, tables: ReadonlySet<string>, sink: ImportSink): Promise<void> {
  const batch = new ScalarBatch(sink);
  const starts = new Map<string, number>();
  const nameOf = namesOf(database);
  const columns = hasRunIds(database) ? 'run_id, run_name' : 'run_name as run_id, run_name';
  for (const row of database
    .prepare(`select ${columns}, step, timestamp, metrics from metrics order by run_name, run_id, step, id`)
    .iterate()) {
    const run = nameOf(row);
    const wallTime = dateOf(String(row['timestamp'])) ?? 0;
    starts.set(run, Math.min(starts.get(run) ?? Infinity, wallTime));
    await addValues(batch, sink, { run, step: BigInt(Number(row['step'])), wallTime }, jsonOf(row['metrics']), '');
  }
  if (tables.has('system_metrics')) {
    const steps = new Map<string, bigint>();
    for (const row of database
      .prepare(`select ${columns}, timestamp, metrics from system_metrics order by run_name, run_id, timestamp, id`)
      .iterate()) {
      const run = nameOf(row);
      const step = steps.get(run) ?? 0n;
      steps.set(run, step + 1n);
      await addValues(batch, sink, { run, step, wallTime: dateOf(String(row['timestamp'])) ?? 0 }, jsonOf(row['metrics']), 'system/');
    }
  }
  await batch.flush();
  if (tables.has('configs'))
    for (const row of database.prepare(`select ${columns}, config from configs order by run_name, run_id`).all()) {
      const run = nameOf(row);
      const config = Object.entries(jsonOf(row['config']) as Record<string, unknown>).filter(([name]) => !name.startsWith('_'));
      const flat = flatConfig(Object.fromEntries(config), (name) => sink.skip(`configuration ${name}`, 'it has no value'));
      await sink.config(run, flat, starts.get(run) ?? 0);
    }
  for (const table of ['traces', 'alerts', 'artifact_versions'].filter((name) => tables.has(name))) {
    const count = Number(database.prepare(`select count(*) as count from ${table}`).get()?.['count'] ?? 0);
    if (count > 0) sink.skip(table.replace('_', ' '), 'they are not imported', count);
  }
}

type Row = Readonly<Record<string, unknown>>;

/** Whether the rows have run ids. Older databases distinguish runs by name only. */
function hasRunIds(database: DatabaseSync): boolean {
  return database
    .prepare('pragma table_info(metrics)')
    .all()
    .some((column) => column['name'] === 'run_id');
}

/** The run name of a row; includes the id if several runs share the name. */
function namesOf(database: DatabaseSync): (row: Row) => string {
  const shared = new Set<string>();
  if (hasRunIds(database))
    for (const row of database.prepare('select run_name from metrics group by run_name having count(distinct run_id) > 1').all())
      shared.add(String(row['run_name']));
  return (row) => {
    const name = String(row['run_name']);
    return shared.has(name) ? `${name}-${String(row['run_id']).slice(0, 8)}` : name;
  };
}

/** Parses JSON that is stored as text, or as bytes. */
function jsonOf(cell: unknown): unknown {
  return parsePythonJson(cell instanceof Uint8Array ? Buffer.from(cell).toString() : String(cell));
}

async function addValues(batch: ScalarBatch, sink: ImportSink, at: ImportedMoment, values: unknown, prefix: string): Promise<void> {
  for (const [name, value] of Object.entries(values as Record<string, unknown>)) {
    const tag = `${prefix}${name}`;
    if (typeof value === 'number' || typeof value === 'boolean') await batch.add(at, tag, Number(value));
    else if (typeof value === 'string' && ['NaN', 'Infinity', '-Infinity'].includes(value)) await batch.add(at, tag, Number(value));
    else if (typeof value === 'string') await sink.text({ ...at, tag, text: value });
    else if (typeof value === 'object' && value !== null && '_type' in value)
      sink.skip(`values of the type ${String(value['_type'])}`, 'they are not imported');
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) await addValues(batch, sink, at, value, `${tag}/`);
    else sink.skip('lists or empty values', 'only numbers and text are imported');
  }
}
