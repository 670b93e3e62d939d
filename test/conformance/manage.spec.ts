import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { readExperiment, type RestSeries } from '../e2e/rest-run.ts';
import { logDirectory } from '../logs/log-directories.ts';
import { sha256 } from '../logs/point-hash.ts';
import { Stage } from './stage.ts';
import { StockClient, textOf } from './stock-client.ts';

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly created: string;
  readonly updated: string;
  readonly runs: number;
  readonly tags: number;
  readonly scalars: number;
  readonly tensor_bytes: number;
  readonly binary_object_bytes: number;
}

interface Line {
  readonly run: string;
  readonly tag: string;
  readonly summary_metadata: string;
  readonly points: {
    readonly steps: (number | string)[];
    readonly wall_times: (number | string)[];
    readonly values?: (number | string)[];
    readonly tensors_file_path?: string;
    readonly blob_file_paths?: (string | null)[][];
  };
}

describeWith(['tensorboard'], 'the other commands of the stock client', () => {
  let stage: Stage;
  let folder: string;
  let native: string;
  let uploaded: string;

  beforeAll(async () => {
    stage = await Stage.start();
    folder = await mkdtemp(join(tmpdir(), 'plotline-export-'));
    native = await stage.uploadNatively(await logDirectory('torch'));
    uploaded = (await stage.client.upload(await logDirectory('tensorboardx'), '--name', 'tx', '--description', 'first')).experimentId;
    await stage.visible(uploaded);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await stage?.dispose();
  });

  const list = async (): Promise<Listed[]> => {
    const { code, stdout, stderr } = await stage.client.run('list', '--json');
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/Total: \d+ experiment/);
    // Concatenated JSON objects.
    return JSON.parse(`[${stdout.replaceAll(/^\}\n\{/gm, '},{')}]`) as Listed[];
  };

  it('list and list --json show experiments with their counts, however they were uploaded', async () => {
    const found = await list();
    expect(found.map(({ id }) => id).toSorted()).toEqual([native, uploaded].toSorted());
    for (const experiment of found) {
      const about = await stage.service.json<{ runs: number; points: number; created: string }>(`/experiments/${experiment.id}`);
      expect(experiment).toMatchObject({ url: `${stage.service.url}/e/${experiment.id}`, runs: about.runs, scalars: about.points });
      expect(Date.parse(experiment.created)).toBe(Math.floor(Date.parse(about.created) / 1_000) * 1_000);
      expect(Date.parse(experiment.updated)).toBeGreaterThanOrEqual(Date.parse(experiment.created));
      const series = await readExperiment(stage.service, experiment.id);
      const listed = [...series.values()].flatMap((tags) => [...tags.values()]).filter(({ meta }) => meta.listed);
      const sum = (sizes: number[]) => sizes.reduce((a, b) => a + b, 0);
      expect(experiment.tags).toBe(new Set(listed.map(({ meta }) => meta.tag)).size);
      expect(experiment.tensor_bytes).toBe(sum(listed.flatMap(({ tensors }) => tensors.map(({ data }) => data.length))));
      expect(experiment.binary_object_bytes).toBe(
        sum(listed.flatMap(({ blobSequences }) => blobSequences.flatMap(({ blobs }) => blobs.map((blob) => blob.length)))),
      );
    }
    const text = await stage.client.run('list');
    for (const { id } of found) expect(text.stdout).toContain(`${stage.service.url}/e/${id}`);
    expect(text.stdout).toContain('first');
  });

  it('update-metadata changes given fields, and clears fields given as empty', async () => {
    const about = async () => stage.service.json<{ name: string; description: string }>(`/experiments/${uploaded}`);
    const change = (...args: string[]) => stage.client.run('update-metadata', '--experiment_id', uploaded, ...args);
    expect((await change('--name', 'renamed')).code).toBe(0);
    expect(await about()).toMatchObject({ name: 'renamed', description: 'first' });
    expect((await change('--description', '')).code).toBe(0);
    expect(await about()).toMatchObject({ name: 'renamed', description: '' });
    const gone = await stage.client.run('update-metadata', '--experiment_id', '0'.repeat(22), '--name', 'x');
    expect([gone.code, /No such experiment/.test(textOf(gone))]).toEqual([1, true]);
  });

  it('export writes every effective point of every listed series', async () => {
    const outdir = join(folder, 'out');
    const result = await stage.client.run('export', '--outdir', outdir);
    expect(result.code, textOf(result)).toBe(0);
    for (const experimentId of [native, uploaded]) {
      const of = join(outdir, `experiment_${experimentId}`);
      const about = await stage.service.json<{ name: string; description: string }>(`/experiments/${experimentId}`);
      expect(JSON.parse(await readFile(join(of, 'metadata.json'), 'utf8'))).toMatchObject({
        name: about.name,
        description: about.description,
      });
      const stored = await readExperiment(stage.service, experimentId);
      const wanted = new Map(
        [...stored].flatMap(([run, tags]) =>
          [...tags].flatMap(([tag, one]) => (isExported(one) ? [[`${run}\n${tag}`, one] as const] : [])),
        ),
      );
      const seen = new Map<string, Line['points'][]>();
      for (const file of ['scalars.json', 'tensors.json', 'blob_sequences.json']) {
        // Absent if there is no such series.
        const text = await readFile(join(of, file), 'utf8').catch(() => '');
        for (const line of text.split('\n').filter(Boolean)) {
          // Python writes NaN and Infinity literally.
          const { run, tag, points } = JSON.parse(
            line.replaceAll(/(?<=[[, ])(-?Infinity|NaN)(?=[,\]])/g, '"$1"').replaceAll(/(?<=[[, ])-?\d{16,}(?=[,\]])/g, '"$&"'),
          ) as Line;
          const key = `${run}\n${tag}`;
          seen.set(key, [...(seen.get(key) ?? []), points]);
        }
      }
      expect([...seen.keys()].toSorted()).toEqual([...wanted.keys()].toSorted());
      for (const [key, series] of wanted) {
        const lines = seen.get(key)!;
        const effective = <P extends { step: bigint }>(points: readonly P[]): P[] =>
          points.filter((_, i) => !series.superseded[i]).sort((a, b) => (a.step === b.step ? 0 : a.step < b.step ? -1 : 1));
        const steps = lines.flatMap((points) => points.steps).map((step) => BigInt(step));
        const kind =
          series.meta.dataClass === 'scalar' ? series.scalars : series.meta.dataClass === 'tensor' ? series.tensors : series.blobSequences;
        expect(steps, key).toEqual(effective<{ step: bigint }>(kind).map(({ step }) => step));
        if (series.meta.dataClass === 'scalar') {
          const values = lines.flatMap((points) => points.values!).map(Number);
          expect(values, key).toEqual(effective(series.scalars).map(({ value }) => value));
          // Seconds and nanoseconds, up to the limit of a Timestamp.
          lines
            .flatMap((points) => points.wall_times)
            .forEach((wallTime, i) => expect(Number(wallTime), key).toBeCloseTo(effective(series.scalars)[i]!.wallTime, 6));
        }
        if (series.meta.dataClass === 'blob_sequence') {
          const paths = lines.flatMap((points) => points.blob_file_paths!);
          const hashes = await Promise.all(
            paths.map((sequence) => Promise.all(sequence.map(async (path) => path && sha256(await readFile(join(of, path)))))),
          );
          expect(hashes, key).toEqual(effective(series.blobSequences).map(({ blobs }) => blobs.map((blob) => sha256(blob))));
        }
        if (series.meta.dataClass === 'tensor')
          for (const { tensors_file_path } of lines) expect((await readFile(join(of, tensors_file_path!))).length).toBeGreaterThan(0);
      }
    }
    expect((await readdir(outdir)).length).toBe(2);
    const again = await stage.client.run('export', '--outdir', outdir);
    expect(again.code).not.toBe(0);
  });

  it('neither shows nor changes experiments of other members', async () => {
    const stranger = await StockClient.make(stage.service.url, 'plt_nobody');
    try {
      expect((await stranger.run('list')).code).not.toBe(0);
      expect((await stranger.run('delete', '--experiment_id', uploaded)).code).toBe(1);
    } finally {
      await stranger.dispose();
    }
    expect((await stage.service.fetch(`/experiments/${uploaded}`)).status).toBe(200);
  });

  it('delete removes several at once, and names missing ones', async () => {
    const result = await stage.client.run('delete', '--experiment_id', uploaded);
    expect([result.code, /Deleted experiment/.test(result.stdout)], textOf(result)).toEqual([0, true]);
    expect((await stage.service.fetch(`/experiments/${uploaded}`)).status).toBe(404);
    const again = await stage.client.run('delete', '--experiment_id', uploaded);
    expect([again.code, /No such experiment/.test(textOf(again))]).toEqual([1, true]);
    expect((await list()).map(({ id }) => id)).toEqual([native]);
  });
});

/** Of types that TensorBoard can convert to arrays, and small enough for its messages. */
function isExported({ meta, superseded }: RestSeries): boolean {
  return meta.listed && superseded.some((one) => !one);
}
