import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { describeWith } from '#testing';
import { logDirectory, type LogDirectoryName, logDirectoryNames } from '../logs/log-directories.ts';
import { readExperiment } from './rest-run.ts';
import { Cli, Service, type Uploaded } from './service.ts';

/**
 * Data that other tools logged arrives value for value. Tables are written by `plotline export`;
 * the files of trackers are written by their own packages. IMPORT_LOGS=all uses every log
 * directory.
 */

const names: readonly LogDirectoryName[] = process.env['IMPORT_LOGS'] === 'all' ? logDirectoryNames : ['tf2_summaries', 'torch'];

interface Imported extends Uploaded {
  readonly import: {
    readonly points: number;
    readonly restarts: number;
    readonly skipped: readonly { readonly what: string; readonly why: string; readonly count: number }[];
  };
}

let service: Service;
let folder: string;
let cli: Cli;

beforeAll(async () => {
  service = await Service.start();
  folder = await mkdtemp(join(tmpdir(), 'plotline-imports-'));
  cli = new Cli(service, join(folder, 'state'));
});
afterAll(async () => {
  await service?.dispose();
  await rm(folder, { recursive: true, force: true });
});

const bits = (value: number): string => (Number.isNaN(value) ? 'nan' : Buffer.from(Float64Array.of(value).buffer).toString('hex'));

/** Returns the effective scalars of an experiment, as text that is different for each float64. */
async function scalarsOf(id: string, withTimes: boolean): Promise<string[]> {
  const rows: string[] = [];
  for (const [run, tags] of await readExperiment(service, id))
    for (const [tag, series] of tags)
      for (const [i, { step, wallTime, value }] of series.scalars.entries())
        if (!series.superseded[i])
          rows.push(JSON.stringify([run, tag, series.writer[i], String(step), ...(withTimes ? [bits(wallTime)] : []), bits(value)]));
  return rows.sort();
}

describe.each(names)('tables of %s', (name) => {
  it.each(['csv', 'jsonl', 'arrow', 'parquet'])('as %s are the same scalars when they are imported', async (format) => {
    const { experiment_id: id } = await cli.json<Uploaded>('upload', '--logdir', await logDirectory(name), '--one-shot');
    const outdir = join(folder, `${name}-${format}`);
    await cli.json('export', id, '--format', format, '--outdir', outdir);
    const again = await cli.json<Imported>('import', join(outdir, `scalars.${format}`));
    const wanted = await scalarsOf(id, true);
    expect(wanted.length).toBeGreaterThan(0);
    expect(await scalarsOf(again.experiment_id, true)).toEqual(wanted);
    expect(again.import).toMatchObject({ points: wanted.length, restarts: 0, skipped: [] });
    // A second import finds that everything exists.
    const third = await cli.json<Imported>('import', join(outdir, `scalars.${format}`));
    expect([third.experiment_id, third.uploaded_bytes]).toEqual([again.experiment_id, 0]);
  });
});

interface Logged {
  /** Run, tag, step and the bytes of the value. */
  readonly scalars: readonly (readonly [run: string, tag: string, step: number, value: string])[];
  readonly configs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const values = `
import json, math, os, struct, sys
folder = sys.argv[1]
odd = [0.1, -0.0, 1/3, 1e-310, float("nan"), float("inf"), float("-inf"), 9007199254740993, 3, -2.5]
scalars, configs = [], {}
def value(i): return odd[i % len(odd)] if i % 3 else i / 7
def bits(v): return "nan" if math.isnan(v) else struct.pack("<d", float(v)).hex()
def done(): print("LOGGED" + json.dumps({"scalars": scalars, "configs": configs}))
`;

const scripts = {
  wandb: `${values}
os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DIR=folder, WANDB_CONSOLE="off")
import wandb
for name in ("first run", "second/run"):
    config = {"lr": 0.1, "net": {"depth": 3, "act": "relu"}, "flag": True, "sizes": [1, 2]}
    run = wandb.init(project="p", name=name, config=config, settings=wandb.Settings(x_disable_stats=True))
    for i in range(400):
        row = {"loss": value(i), "val": {"acc": value(i + 1)}}
        run.log(row, step=i * 2)
        scalars.append([name, "loss", i * 2, bits(value(i))])
        scalars.append([name, "val.acc", i * 2, bits(value(i + 1))])
    run.log({"note": "some text", "dist": wandb.Histogram([1, 2, 3])}, step=900)
    run.finish()
    configs[name] = {"lr": 0.1, "net.depth": 3, "net.act": "relu", "flag": True, "sizes": "[1,2]"}
done()
`,
  'mlflow files': `${values}
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
store = "file:" + folder + "/mlruns"
`,
  'mlflow sqlite': `${values}
odd[1] = 0.5 # SQLite itself keeps no negative zero
store = "sqlite:///" + folder + "/mlflow.db"
`,
  trackio: `${values}
os.environ["TRACKIO_DIR"] = folder
import trackio
for name in ("first", "second"):
    trackio.init(project="p", name=name, config={"lr": 0.1, "act": "relu"})
    for i in range(50):
        trackio.log({"loss": value(i), "train/acc": i / 3}, step=i)
        scalars.append([name, "loss", i, bits(value(i))])
        scalars.append([name, "train/acc", i, bits(i / 3)])
    trackio.finish()
    configs[name] = {"lr": 0.1, "act": "relu"}
done()
`,
};

const mlflow = `
import mlflow, time
from mlflow.tracking import MlflowClient
mlflow.set_tracking_uri(store)
client = MlflowClient()
experiment = client.create_experiment("resnet")
for name in ("first", "second"):
    run = client.create_run(experiment, run_name=name)
    id = run.info.run_id
    client.log_param(id, "lr", 0.1)
    client.log_param(id, "act", "relu")
    client.set_tag(id, "team", "vision")
    for i in reversed(range(100)):
        client.log_metric(id, "loss", value(i), timestamp=1700000000000 + i, step=i)
        client.log_metric(id, "train/acc", i / 3, timestamp=1700000000000 + i, step=i)
        scalars.append(["resnet/" + name + "-" + id[:8], "loss", i, bits(value(i))])
        scalars.append(["resnet/" + name + "-" + id[:8], "train/acc", i, bits(i / 3)])
    client.set_terminated(id, "FINISHED")
    configs["resnet/" + name + "-" + id[:8]] = {"lr": 0.1, "act": "relu"}
done()
`;

describeWith(['trackers'], 'runs that were logged with', () => {
  /** Runs a script with the real package. Returns the logged data and its folder. */
  async function log(name: keyof typeof scripts): Promise<{ logged: Logged; at: string }> {
    const { trackers } = inject('parts');
    if ('missing' in trackers) throw new Error(trackers.missing);
    const at = await mkdtemp(join(folder, 'tracker-'));
    const script = scripts[name] + (name.startsWith('mlflow') ? mlflow : '');
    const { stdout } = await promisify(execFile)(trackers.found, ['-c', script, at], {
      maxBuffer: 1 << 28,
      env: { ...process.env, HOME: at, XDG_CACHE_HOME: at },
    });
    return { logged: JSON.parse(stdout.slice(stdout.lastIndexOf('LOGGED') + 6)) as Logged, at };
  }

  async function expectLogged(imported: Imported, { scalars, configs }: Logged): Promise<void> {
    const wanted = scalars.map(([run, tag, step, value]) => JSON.stringify([run, tag, 0, String(step), value]));
    expect(wanted.length).toBeGreaterThan(0);
    expect(await scalarsOf(imported.experiment_id, false)).toEqual(wanted.sort());
    const { runs } = await service.json<{ runs: { run: string; config: Record<string, unknown>; status: string }[] }>(
      `/experiments/${imported.experiment_id}/runs?page_size=1000`,
    );
    expect(Object.fromEntries(runs.map(({ run, config }) => [run, config]))).toEqual(configs);
  }

  it('W&B offline arrive with every value, and what cannot be carried is listed', { timeout: 300_000 }, async () => {
    const { logged, at } = await log('wandb');
    const imported = await cli.json<Imported>('import', join(at, 'wandb'));
    await expectLogged(imported, logged);
    expect(imported.import.skipped).toContainEqual({ what: 'values of the type histogram', why: 'they are not imported', count: 2 });
    const { runs } = await service.json<{ runs: { status: string }[] }>(`/experiments/${imported.experiment_id}/runs`);
    expect(runs.map(({ status }) => status)).toEqual(['success', 'success']);
  });

  it.each(['mlflow files', 'mlflow sqlite'] as const)('%s arrive with every value', { timeout: 300_000 }, async (name) => {
    const { logged, at } = await log(name);
    const [path] = (await readdir(at)).filter((file) => file === 'mlruns' || file === 'mlflow.db').sort();
    const imported = await cli.json<Imported>('import', join(at, path!), '--from', 'mlflow');
    await expectLogged(imported, logged);
    expect(imported.import.skipped).toContainEqual({ what: 'tags of runs', why: 'label the runs on the page', count: 2 });
  });

  it('Trackio arrive with every value', { timeout: 300_000 }, async () => {
    const { logged, at } = await log('trackio');
    const [database] = (await readdir(at)).filter((file) => file.endsWith('.db'));
    await expectLogged(await cli.json<Imported>('import', join(at, database!), '--from', 'trackio'), logged);
  });
});

/**
 * Writes a table as neptune-exporter does, with its schema (src/neptune_exporter/model.py) and
 * pyarrow.
 */
const neptune = `${values}
import datetime, decimal, pyarrow, pyarrow.parquet
utc = pyarrow.timestamp("ms", tz="UTC")
schema = pyarrow.schema([
    ("project_id", pyarrow.string()), ("run_id", pyarrow.string()), ("attribute_path", pyarrow.string()),
    ("attribute_type", pyarrow.string()), ("step", pyarrow.decimal128(18, 6)), ("timestamp", utc),
    ("int_value", pyarrow.int64()), ("float_value", pyarrow.float64()), ("string_value", pyarrow.string()),
    ("bool_value", pyarrow.bool_()), ("datetime_value", utc), ("string_set_value", pyarrow.list_(pyarrow.string())),
    ("file_value", pyarrow.struct([("path", pyarrow.string())])),
    ("histogram_value", pyarrow.struct([("type", pyarrow.string()), ("edges", pyarrow.list_(pyarrow.float64())), ("values", pyarrow.list_(pyarrow.float64()))])),
])
at = datetime.datetime(2026, 11, 27, tzinfo=datetime.timezone.utc)
os.makedirs(folder + "/data/project")
for name in ("RUN-1", "RUN-2"):
    rows = [
        {"attribute_path": "lr", "attribute_type": "float", "float_value": 0.1},
        {"attribute_path": "depth", "attribute_type": "int", "int_value": 3},
        {"attribute_path": "act", "attribute_type": "string", "string_value": "relu"},
        {"attribute_path": "flag", "attribute_type": "bool", "bool_value": True},
        {"attribute_path": "model", "attribute_type": "file", "file_value": {"path": "x"}},
        {"attribute_path": "half", "attribute_type": "float_series", "step": decimal.Decimal("0.5"), "timestamp": at, "float_value": 1.0},
    ]
    for i in range(200):
        rows.append({"attribute_path": "loss", "attribute_type": "float_series", "step": decimal.Decimal(i), "timestamp": at, "float_value": float(value(i))})
        scalars.append([name, "loss", i, bits(float(value(i)))])
    for part in range(12):
        some = rows[part * 20:] if part == 11 else rows[part * 20:part * 20 + 20]
        table = pyarrow.Table.from_pylist([{"project_id": "p", "run_id": name, **row} for row in some], schema=schema)
        pyarrow.parquet.write_table(table, folder + f"/data/project/{name}_part_{part}.parquet")
    configs[name] = {"lr": 0.1, "depth": 3, "act": "relu", "flag": True}
done()
`;

describeWith(['tables'], 'files of neptune-exporter', () => {
  it('arrive with every value, and fractional steps are listed', async () => {
    const { tables } = inject('parts');
    if ('missing' in tables) throw new Error(tables.missing);
    const at = await mkdtemp(join(folder, 'neptune-'));
    const { stdout } = await promisify(execFile)(tables.found, ['-c', neptune, at], { maxBuffer: 1 << 28 });
    const logged = JSON.parse(stdout.slice(stdout.lastIndexOf('LOGGED') + 6)) as Logged;
    const imported = await cli.json<Imported>('import', join(at, 'data'), '--from', 'neptune');
    const wanted = logged.scalars.map(([run, tag, step, value]) => JSON.stringify([run, tag, 0, String(step), value]));
    expect(await scalarsOf(imported.experiment_id, false)).toEqual(wanted.sort());
    expect(imported.import.skipped).toEqual([
      { what: 'attributes of the type file', why: 'they are not imported', count: 2 },
      { what: 'points of the type float_series', why: 'their step is not a whole number', count: 2 },
    ]);
  });
});
