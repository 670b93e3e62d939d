import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { filesBelow } from './files-below.ts';
import type { ImportSink } from './import-sink.ts';
import { configOf, type MlflowMetric, type MlflowRun, passOn } from './mlflow-run.ts';

/** Imports MLflow's file store: `mlruns/EXPERIMENT/RUN/metrics/KEY`. Returns the number of runs. */
export async function importMlflowFiles(root: string, sink: ImportSink): Promise<number> {
  const runs: { folder: string; experiment: string }[] = [];
  for (const experiment of await foldersIn(root)) {
    if (experiment.startsWith('.') || experiment === 'models') continue;
    for (const run of await foldersIn(join(root, experiment)))
      if (existsSync(join(root, experiment, run, 'meta.yaml')) && run !== 'tags')
        runs.push({ folder: join(root, experiment, run), experiment });
  }
  const experiments = new Map<string, string>();
  for (const { folder, experiment } of runs.sort((a, b) => (a.folder < b.folder ? -1 : 1))) {
    const parent = experiments.get(experiment) ?? (await readMeta(join(root, experiment, 'meta.yaml')))['name'] ?? experiment;
    experiments.set(experiment, parent);
    await passOn(await readRun(folder, parent), sink);
  }
  return runs.length;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function readRun(folder: string, experiment: string): Promise<MlflowRun> {
  const meta = await readMeta(join(folder, 'meta.yaml'));
  const tags = new Map(await values(join(folder, 'tags')));
  const id = meta['run_id'] ?? meta['run_uuid'] ?? '';
  return {
    id,
    name: meta['run_name'] || tags.get('mlflow.runName') || id,
    experiment,
    status: runStatuses[Number(meta['status'])] ?? 'RUNNING',
    isDeleted: meta['lifecycle_stage'] === 'deleted',
    startMs: Number(meta['start_time']) || 0,
    endMs: Number(meta['end_time']) || 0,
    config: configOf(await values(join(folder, 'params'))),
    tags: [...tags.keys()],
    artifacts: (await filesBelow(join(folder, 'artifacts'))).length,
    metrics: metricsOf(join(folder, 'metrics')),
  };
}

/** MLflow's RunStatus enum. */
const runStatuses: readonly string[] = ['', 'RUNNING', 'SCHEDULED', 'FINISHED', 'FAILED', 'KILLED'];

async function* metricsOf(folder: string): AsyncGenerator<MlflowMetric> {
  for (const name of await filesBelow(folder)) {
    const text = await readFile(join(folder, name), 'utf8');
    const points = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' '));
    yield {
      key: name.split(sep).join('/'),
      points: points.map(([time = '', value = '', step = '0']) => ({
        wallTime: Number(time) / 1000,
        value: pythonFloat(value),
        step: BigInt(step),
      })),
    };
  }
}

/** Parses a number as Python prints it. */
export function pythonFloat(text: string): number {
  const named = { nan: Number.NaN, inf: Infinity, '-inf': -Infinity }[text.trim().toLowerCase()];
  return named ?? Number(text);
}

/**
 * The names and contents of the files in a folder, including nested files; empty if the folder does
 * not exist.
 */
async function values(folder: string): Promise<[string, string][]> {
  const names = await filesBelow(folder);
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => [name.split(sep).join('/'), await readFile(join(folder, name), 'utf8')]),
  );
}

/** Reads a `meta.yaml`: a flat list of names and scalars, as MLflow writes it. */
async function readMeta(path: string): Promise<Record<string, string>> {
  const meta: Record<string, string> = {};
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    const match = /^([a-z_]+): (.*)$/.exec(line);
    if (!match) continue;
    const [, name, text] = match as unknown as [string, string, string];
    meta[name] = unquoted(text);
  }
  return meta;
}

function unquoted(text: string): string {
  if (text === 'null' || text === "''") return '';
  if (text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (text.startsWith('"') && text.endsWith('"')) {
    try {
      return JSON.parse(text) as string;
    } catch {
      return text.slice(1, -1);
    }
  }
  return text;
}
