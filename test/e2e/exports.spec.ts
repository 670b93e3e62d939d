import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { describeWith } from '#testing';
import { logDirectory, type LogDirectoryName, logDirectoryNames } from '../logs/log-directories.ts';
import { sha256 } from '../logs/point-hash.ts';
import { readExperiment, type RestSeries } from './rest-run.ts';
import { Cli, Service, type Uploaded } from './service.ts';

/**
 * `plotline export` writes exactly the stored data, in every format. EXPORT_LOGS=all uses every log
 * directory.
 */

const names: readonly LogDirectoryName[] =
  process.env['EXPORT_LOGS'] === 'all' ? logDirectoryNames : ['tf2_summaries', 'torch', 'keras_hparams'];

let service: Service;
let folder: string;
let cli: Cli;
const stored = new Map<string, { id: string; runs: Map<string, Map<string, RestSeries>> }>();

beforeAll(async () => {
  service = await Service.start();
  folder = await mkdtemp(join(tmpdir(), 'plotline-exports-'));
  cli = new Cli(service, join(folder, 'state'));
  for (const name of names) {
    const { experiment_id: id } = await cli.json<Uploaded>('upload', '--logdir', await logDirectory(name), '--one-shot');
    stored.set(name, { id, runs: await readExperiment(service, id) });
  }
});
afterAll(async () => {
  await service?.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Returns a row as text, which differs for different float64 and int64 values. */
const rowOf = (run: string, tag: string, writer: number, step: bigint, wallTime: number, value: number, superseded: boolean): string =>
  JSON.stringify([run, tag, writer, String(step), bits(wallTime), bits(value), superseded]);

function bits(value: number): string {
  return Number.isNaN(value) ? 'nan' : Buffer.from(Float64Array.of(value).buffer).toString('hex');
}

/** Returns the rows of a table with the listed scalars of an experiment. */
function wantedRows(name: string, withSuperseded: boolean): string[] {
  const rows: string[] = [];
  for (const [run, tags] of stored.get(name)!.runs)
    for (const [tag, series] of tags)
      for (const [i, { step, wallTime, value }] of series.scalars.entries())
        if (withSuperseded || !series.superseded[i])
          rows.push(rowOf(run, tag, series.writer[i]!, step, wallTime, value, series.superseded[i]!));
  return rows.sort();
}

async function exportTable(name: string, format: string, ...flags: string[]): Promise<string> {
  const outdir = join(folder, `${name}-${format}${flags.join('')}`);
  const done = await cli.json<{ points: number }>('export', stored.get(name)!.id, '--format', format, '--outdir', outdir, ...flags);
  expect(done.points).toBe(wantedRows(name, flags.includes('--superseded')).length);
  return join(outdir, `scalars.${format}`);
}

interface Row {
  readonly run: string;
  readonly tag: string;
  readonly writer?: number | bigint;
  readonly step: number | string | bigint;
  readonly wall_time: number | string;
  readonly value: number | string;
  readonly superseded?: boolean;
}

const shown = (row: Row): string =>
  rowOf(row.run, row.tag, Number(row.writer ?? 0), BigInt(row.step), Number(row.wall_time), Number(row.value), row.superseded === true);

describe.each(names)('%s', (name) => {
  it('written by the service is the table that the CLI writes', async () => {
    const { id } = stored.get(name)!;
    const outdir = join(folder, `${name}-job`);
    const job = async () => cli.json<{ reused: boolean; points: number }>('export', id, '--format', 'csv', '--job', '--outdir', outdir);
    expect(await job()).toMatchObject({ reused: false, points: wantedRows(name, false).length });
    const lines = (text: string) => text.split('\n').sort();
    const written = await readFile(join(outdir, 'scalars.csv'), 'utf8');
    expect(lines(written)).toEqual(lines(await readFile(await exportTable(name, 'csv'), 'utf8')));
    const manifest = JSON.parse(await readFile(join(outdir, 'manifest.json'), 'utf8')) as { files: unknown };
    expect(manifest.files).toEqual([{ path: 'scalars.csv', bytes: Buffer.byteLength(written), sha256: sha256(Buffer.from(written)) }]);
    expect((await job()).reused).toBe(true);
  });

  it('as JSON Lines has every point, superseded ones on request', async () => {
    for (const flags of [[], ['--superseded']]) {
      const lines = (await readFile(await exportTable(name, 'jsonl', ...flags), 'utf8')).split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.map((line) => shown(JSON.parse(line) as Row)).sort()).toEqual(wantedRows(name, flags.length > 0));
    }
  });

  it('as Arrow has the same', async () => {
    const rows = [...tableFromIPC(await readFile(await exportTable(name, 'arrow', '--superseded')))].map((row) =>
      shown(row!.toJSON() as unknown as Row),
    );
    expect(rows.sort()).toEqual(wantedRows(name, true));
  });
});

/** Returns the files below a folder, by path, with their bytes. */
async function filesBelow(root: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(relative(root, path), await readFile(path));
  }
  return files;
}

describe.each(names)('event files of %s, exported by the service as uploaded,', (name) => {
  it('are byte for byte those of the log directory, with digests', async () => {
    const { id } = stored.get(name)!;
    const outdir = join(folder, `${name}-raw-job`);
    const job = async () =>
      cli.json<{ reused: boolean; unchanged: number; files: unknown[] }>('export', id, '--format', 'raw', '--job', '--outdir', outdir);
    const first = await job();
    // Copies, and files that are not event files, are not uploaded.
    const list = await service.json<{ files: { run: string; name: string }[] }>(`/experiments/${id}/files?page_size=1000`);
    const sent = new Set(list.files.map((file) => join(file.run, file.name)));
    const uploaded = [...(await filesBelow(await logDirectory(name)))].filter(([path]) => sent.has(path));
    expect(uploaded).toHaveLength(list.files.length);
    const exported = await filesBelow(outdir);
    const manifest = JSON.parse(exported.get('manifest.json')!.toString()) as { files: { path: string; bytes: number; sha256: string }[] };
    exported.delete('manifest.json');
    const hashes = (files: Iterable<readonly [string, Buffer]>) => [...files].map(([path, bytes]) => `${sha256(bytes)} ${path}`).sort();
    expect(hashes(exported)).toEqual(hashes(uploaded));
    expect(manifest.files.map(({ path, sha256: digest }) => `${digest} ${path}`).sort()).toEqual(hashes(uploaded));
    expect(manifest).toMatchObject({ format: 'raw', left_out: [] });
    expect(first).toMatchObject({ reused: false, unchanged: 0 });
    expect(first.files).toHaveLength(uploaded.length);
    // The same export again; its files already exist.
    expect(await job()).toMatchObject({ reused: true, unchanged: uploaded.length });
    // The same paths as without the service.
    const direct = join(folder, `${name}-raw`);
    await cli.json('export', id, '--outdir', direct);
    expect(hashes(await filesBelow(direct))).toEqual(hashes(exported));
    // A file with other content remains.
    const [path, bytes] = uploaded[0]!;
    await writeFile(join(outdir, path), 'mine');
    const result = await cli.run('export', id, '--format', 'raw', '--job', '--outdir', outdir, '--json');
    expect([result.code, JSON.parse(result.stdout)]).toMatchObject([1, { error: { code: 'would-overwrite' } }]);
    expect(await readFile(join(outdir, path), 'utf8')).toBe('mine');
    await writeFile(join(outdir, path), bytes);
  });
});

describe('--run and --tag', () => {
  const name = names.includes('torch') ? 'torch' : names[0]!;
  let id: string;
  let run: string;
  let tag: string;

  beforeAll(() => {
    const of = stored.get(name)!;
    id = of.id;
    const found = [...of.runs].flatMap(([some, tags]) =>
      [...tags].filter(([, { scalars }]) => scalars.length > 0).map(([one]) => [some, one] as const),
    );
    [run, tag] = found[0]!;
    expect(found.length).toBeGreaterThan(1);
  });

  it.each([
    ['table', []],
    ['table of the service', ['--job']],
  ] as const)('select the rows of a %s', async (_, flags) => {
    const outdir = join(folder, `some-${flags.join('')}`);
    await cli.json('export', id, '--format', 'jsonl', '--run', run, '--tag', tag, '--outdir', outdir, ...flags);
    const lines = (await readFile(join(outdir, 'scalars.jsonl'), 'utf8')).trimEnd().split('\n');
    const wanted = wantedRows(name, false).filter((row) => {
      const [of, one] = JSON.parse(row) as [string, string];
      return of === run && one === tag;
    });
    expect(lines.map((line) => shown(JSON.parse(line) as Row)).sort()).toEqual(wanted);
  });

  it.each([
    ['event files', []],
    ['event files of the service', ['--job']],
  ] as const)('select the series of %s', async (_, flags) => {
    const outdir = join(folder, `some-events${flags.join('')}`);
    await cli.json('export', id, '--format', 'events', '--run', run, '--tag', tag, '--outdir', outdir, ...flags);
    const again = await cli.json<Uploaded>('upload', '--logdir', outdir, '--one-shot');
    const { values } = await effective(again.experiment_id);
    const all = await effective(id);
    expect(values.length).toBeGreaterThan(0);
    expect(values).toEqual(
      all.values.filter((value) => {
        const [of, one] = JSON.parse(value) as [string, string];
        return of === run && one === tag;
      }),
    );
  });

  it.each([
    ['event files', []],
    ['event files of the service', ['--job']],
  ] as const)('of runs select %s as uploaded', async (_, flags) => {
    const outdir = join(folder, `some-raw${flags.join('')}`);
    const { files } = await cli.json<{ files: { run: string; path: string }[] }>('export', id, '--run', run, '--outdir', outdir, ...flags);
    const all = await cli.json<{ files: { run: string; path: string }[] }>('export', id, '--outdir', join(folder, 'some-raw-all'));
    expect(files.map(({ path }) => path).sort()).toEqual(all.files.filter((file) => file.run === run).map(({ path }) => path).sort()); // prettier-ignore
    expect(new Set(files.map((file) => file.run))).toEqual(new Set([run]));
    expect(files.length).toBeLessThan(all.files.length);
  });

  it('are an error if the experiment does not have the name, and name what is wrong', async () => {
    for (const flags of [[], ['--job']])
      for (const given of [
        ['--run', 'none'],
        ['--tag', 'none'],
        ['--run', run, '--tag', 'none'],
      ]) {
        const outdir = join(folder, 'nothing');
        const result = await cli.run('export', id, '--format', 'csv', '--outdir', outdir, ...given, ...flags);
        expect([given, flags, result.code]).toEqual([given, flags, 4]);
        expect(result.stderr).toContain(`${given.at(-2) === '--run' ? 'run' : 'tag'} "none"`);
        await expect(readdir(outdir)).rejects.toMatchObject({ code: 'ENOENT' });
      }
    const raw = await cli.run('export', id, '--format', 'raw', '--tag', tag);
    expect([raw.code, raw.stderr]).toEqual([2, expect.stringContaining('use --tag with another format')]);
  });
});

/** Returns the effective values of each series in an experiment. */
async function effective(id: string): Promise<{ series: string[]; values: string[] }> {
  const values: string[] = [];
  for (const [run, tags] of await readExperiment(service, id))
    for (const [tag, series] of tags) {
      const add = (i: number, step: bigint, wallTime: number, value: unknown) => {
        if (!series.superseded[i]) values.push(JSON.stringify([run, tag, series.writer[i], String(step), bits(wallTime), value]));
      };
      for (const [i, { step, wallTime, value }] of series.scalars.entries()) add(i, step, wallTime, bits(value));
      for (const [i, { step, wallTime, dtype, shape, data }] of series.tensors.entries())
        add(i, step, wallTime, [dtype, shape, sha256(data)]);
      for (const [i, { step, wallTime, blobs }] of series.blobSequences.entries()) add(i, step, wallTime, blobs.map(sha256));
    }
  const list = await service.json<{ series: Record<string, unknown>[] }>(`/experiments/${id}/series?unlisted=true&plugin_content=true`);
  const series = list.series
    .filter(({ points }) => points !== 0)
    .map(({ run, tag, writer = 0, data_class, listed, plugin, plugin_content, display_name, description, points, min, max, last }) =>
      JSON.stringify([run, tag, writer, data_class, listed, plugin, plugin_content, display_name, description, points, min, max, last]),
    );
  return { series: series.sort(), values: values.sort() };
}

describe.each(names)('event files of %s', (name) => {
  it('uploaded again are the same series, values and runs', async () => {
    const { id } = stored.get(name)!;
    const outdir = join(folder, `${name}-events`);
    await cli.json('export', id, '--format', 'events', '--outdir', outdir);
    const again = await cli.json<Uploaded>('upload', '--logdir', outdir, '--one-shot');
    expect(again.damaged).toEqual([]);
    expect(await effective(again.experiment_id)).toEqual(await effective(id));
    const runs = async (of: string) =>
      (await service.json<{ runs: { run: string; start_time: unknown }[] }>(`/experiments/${of}/runs?page_size=1000`)).runs.map(
        ({ run, start_time }) => [run, start_time],
      );
    expect(await runs(again.experiment_id)).toEqual(await runs(id));
    const { superseded } = await service
      .json<{ series: { superseded_points: number }[] }>(`/experiments/${again.experiment_id}/series?unlisted=true`)
      .then(({ series }) => ({ superseded: series.reduce((sum, one) => sum + one.superseded_points, 0) }));
    expect(superseded).toBe(0);
  });
});

describe.each(names)('a citable snapshot of %s', (name) => {
  it('has a digest that the API, exported event files and jobs give as well', { timeout: 120_000 }, async () => {
    const { id } = stored.get(name)!;
    const copy = await cli.json<{ id: string }>('snapshot', id, '--title', name, '--author', 'Doe, Jane', '--license', 'CC-BY-4.0');
    const cited = async () => cli.json<{ digest: string | null; bibtex: string }>('cite', copy.id);
    await expect.poll(async () => (await cited()).digest, { timeout: 30_000 }).not.toBeNull();
    const { digest, bibtex } = await cited();
    const verified = { verified: true, digest, expected: digest };
    expect(await cli.json('verify', copy.id, '--snapshot')).toMatchObject(verified);
    // The experiment has the same content.
    expect(await cli.json('verify', id, '--snapshot', digest!)).toMatchObject(verified);
    for (const flags of [[], ['--job']]) {
      const outdir = join(folder, `${name}-cited${flags.join('')}`);
      await cli.json('export', copy.id, '--format', 'events', '--outdir', outdir, ...flags);
      expect(await readFile(join(outdir, 'citation.bib'), 'utf8')).toBe(bibtex);
      const offline = { PLOTLINE_DATA_DIR: join(folder, 'nowhere'), PLOTLINE_SERVER: '' };
      const { code, stdout } = await cli.spawn(['verify', '--snapshot', '--logdir', outdir, '--json'], offline).ended;
      expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining(verified)]);
      // A missing value in an intact file is detected.
      const [file] = (await readdir(outdir, { recursive: true })).filter((one) => one.includes('tfevents')).sort();
      const bytes = await readFile(join(outdir, file!));
      await writeFile(join(outdir, file!), withoutLastRecord(bytes));
      expect((await cli.spawn(['verify', '--snapshot', '--logdir', outdir, '--json'], offline).ended).code).toBe(1);
    }
  });
});

/** The same file without its last record is complete, but has one value fewer. */
function withoutLastRecord(bytes: Buffer): Buffer {
  let last = 0;
  for (let at = 0; at < bytes.length; at += 16 + bytes.readUInt32LE(at)) last = at;
  return bytes.subarray(0, last);
}

/** Each library reads the file as its users would; doubles are printed as bytes. */
const readers = `
import json, struct, sys
path = sys.argv[1]
def cells(columns, rows):
    out = []
    for row in rows:
        one = dict(zip(columns, row))
        one["step"] = str(int(one["step"]))
        for name in ("wall_time", "value"):
            one[name] = struct.pack("<d", float(one[name])).hex()
        if "writer" in one: one["writer"] = int(one["writer"])
        if "superseded" in one: one["superseded"] = bool(one["superseded"])
        out.append(one)
    return out
import pandas, pyarrow, pyarrow.parquet, polars, duckdb
table = pyarrow.parquet.read_table(path)
frame = pandas.read_parquet(path)
pl = polars.read_parquet(path)
db = duckdb.sql(f"select * from '{path}'")
filtered = duckdb.sql(f"select count(*) from '{path}' where value >= 0 and not isnan(value)").fetchall()[0][0]
print(json.dumps({
    "types": [str(field.type) for field in table.schema],
    "pyarrow": cells(table.column_names, zip(*[column.to_pylist() for column in table.columns])),
    "pandas": cells(list(frame.columns), frame.itertuples(index=False)),
    "polars": cells(pl.columns, pl.iter_rows()),
    "duckdb": cells(db.columns, db.fetchall()),
    "filtered": filtered,
}))
`;

interface PythonRow extends Omit<Row, 'wall_time' | 'value'> {
  readonly wall_time: string;
  readonly value: string;
}

describeWith(['tables'], 'Parquet', () => {
  it.each(names)('of %s is read alike by pyarrow, pandas, Polars and DuckDB', async (name) => {
    const { tables } = inject('parts');
    if ('missing' in tables) throw new Error(tables.missing);
    const path = await exportTable(name, 'parquet', '--superseded');
    const { stdout } = await promisify(execFile)(tables.found, ['-c', readers, path], { maxBuffer: 1 << 30 });
    const { types, filtered, ...found } = JSON.parse(stdout) as { types: string[]; filtered: number } & Record<string, PythonRow[]>;
    const several = types.length === 7;
    expect(types).toEqual(['string', 'string', ...(several ? ['int32'] : []), 'int64', 'double', 'double', 'bool']);
    const float = (hex: string): number => Buffer.from(hex, 'hex').readDoubleLE();
    const wanted = wantedRows(name, true);
    for (const reader of ['pyarrow', 'pandas', 'polars', 'duckdb']) {
      const rows = found[reader]!.map((row) => shown({ ...row, wall_time: float(row.wall_time), value: float(row.value) }));
      expect(rows.sort(), reader).toEqual(wanted);
    }
    // Row groups that a reader skips by statistics must not contain a match.
    expect(filtered).toBe(found['pandas']!.filter(({ value }) => float(value) >= 0).length);
  });
});
