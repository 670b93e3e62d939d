import type { DatabaseSync } from 'node:sqlite';
import type { RunName } from '#model';
import type { ImportSink } from './import-sink.ts';
import { configOf, type MlflowMetric, passOn } from './mlflow-run.ts';

/** MLflow stores infinities as the largest numbers. */
const largest = 1.797_693_134_862_315_7e308;

/** Imports MLflow's SQLite store. Returns the number of runs. */
export async function importMlflowSqlite(database: DatabaseSync, sink: ImportSink): Promise<number> {
  const runs = database
    .prepare(
      `select r.run_uuid, r.name, r.status, r.start_time, r.end_time, r.lifecycle_stage, e.name as experiment
       from runs r join experiments e on e.experiment_id = r.experiment_id order by r.run_uuid`,
    )
    .all();
  const params = database.prepare('select key, value from params where run_uuid = ? order by key');
  const tags = database.prepare('select key, value from tags where run_uuid = ? order by key');
  for (const run of runs) {
    const id = String(run['run_uuid']);
    const ownTags = tags.all(id).map((row) => [String(row['key']), String(row['value'])] as const);
    await passOn(
      {
        id,
        name: String(run['name'] ?? '') || (ownTags.find(([key]) => key === 'mlflow.runName')?.[1] ?? id),
        experiment: String(run['experiment']),
        status: String(run['status']),
        isDeleted: run['lifecycle_stage'] === 'deleted',
        startMs: Number(run['start_time'] ?? 0),
        endMs: Number(run['end_time'] ?? 0),
        config: configOf(params.all(id).map((row) => [String(row['key']), String(row['value'])] as const)),
        tags: ownTags.map(([key]) => key),
        artifacts: 0, // the store has only the place where they are
        metrics: metricsOf(database, id),
      },
      sink,
    );
  }
  return runs.length;
}

function* metricsOf(database: DatabaseSync, run: RunName): Generator<MlflowMetric> {
  const keys = database.prepare('select distinct key from metrics where run_uuid = ? order by key').all(run);
  const select = database.prepare(
    'select value, timestamp, step, is_nan from metrics where run_uuid = ? and key = ? order by step, timestamp, rowid',
  );
  select.setReadBigInts(true);
  for (const { key } of keys) {
    const points = select.all(run, String(key)).map((row) => ({
      step: row['step'] as bigint,
      wallTime: Number(row['timestamp']) / 1000,
      value: row['is_nan'] ? Number.NaN : infinite(Number(row['value'])),
    }));
    yield { key: String(key), points };
  }
}

function infinite(value: number): number {
  return value >= largest ? Infinity : value <= -largest ? -Infinity : value;
}
