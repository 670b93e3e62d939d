import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { LoggedExperiments } from '../../../read/src/testing/logged-experiment.ts';
import { type ReadService, startReadService } from '../../../read/src/testing/read-service.ts';
import { eventBytes } from '../testing/event-bytes.ts';
import { TestHost } from '../testing/test-host.ts';

describeWith(['postgres'], 'exports of an experiment and its snapshot', () => {
  let service: ReadService;
  let host: TestHost;
  let logged: LoggedExperiments;
  let id: string;
  let copy: string;
  beforeAll(async () => {
    service = await startReadService();
    const owner = await service.tenant();
    host = new TestHost({ PLOTLINE_SERVER: service.base, PLOTLINE_TOKEN: owner.token });
    logged = new LoggedExperiments(service);
    const at = (step: bigint, scalar: number) => ({ step, values: [{ tag: 'loss', scalar }] });
    const restarted = [at(0n, 1), at(1n, 2), at(2n, 3), at(1n, 4)];
    id = await logged.make(owner, { "quote%22's": restarted, '%2E%2E/up': restarted, '../up': [at(0n, 1)] }, 'restarted');
    copy = JSON.parse((await host.run(['snapshot', id, '--json'])).stdout).id as string;
  });
  afterAll(async () => {
    host?.remove();
    await logged?.close();
    await service?.close();
  });

  const read = (path: string) => readFileSync(join(host.folder, path), 'utf8');
  const scalars = async (format: string, outdir: string, ...flags: string[]) =>
    host.run(['export', id, '--format', format, '--outdir', outdir, ...flags]);

  it('write each run to its own folder, and say why one has another name', async () => {
    const { exitCode, stdout, stderr } = await scalars('events', 'events');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Left out 2 superseded values; --format raw includes them.')]);
    expect(stderr.match(/The run .*/g)).toEqual([
      expect.stringMatching(
        /^The run \.\.\/up is written to %2E%2E\/up\.[0-9a-f]{12}\/.*: its name is not a safe path, and another run has/,
      ),
    ]);
    const written = readdirSync(join(host.folder, 'events'), { recursive: true, encoding: 'utf8' });
    const folders = written.filter((path) => path.includes('tfevents')).map((path) => dirname(path).replace(/[0-9a-f]{12}$/, 'HASH'));
    expect(folders.sort()).toEqual(['%2E%2E/up', '%2E%2E/up.HASH', "quote%22's"]);
  });

  it('do not promise original files of a snapshot, and end with one error for raw', async () => {
    const events = await host.run(['export', copy, '--format', 'events', '--outdir', 'copy']);
    expect([events.exitCode, events.stdout]).toEqual([0, expect.stringMatching(/Left out 2 superseded values\.\n/)]);
    for (const flags of [[], ['--job']]) {
      const raw = await host.run(['export', copy, '--outdir', 'copy-raw', ...flags]);
      expect([raw.exitCode, raw.stdout, raw.stderr.trim().split('\n')]).toEqual([
        1,
        '',
        [expect.stringContaining('A snapshot has no original files. Use --format events.')],
      ]);
    }
  });

  it.each([
    ['csv', 'scalars.csv'],
    ['parquet', 'scalars.parquet'],
    ['events', null],
  ])('as %s may be repeated, and do not overwrite a file with other content', async (format, name) => {
    const outdir = `again-${format}`;
    const files = async () => {
      const { exitCode, stdout } = await scalars(format, outdir, '--json');
      expect(exitCode).toBe(0);
      return (JSON.parse(stdout) as { files: unknown }).files;
    };
    expect(await files()).toEqual(await files());
    const path = name ?? readdirSync(join(host.folder, outdir, "quote%22's")).map((file) => `quote%22's/${file}`)[0]!;
    writeFileSync(join(host.folder, outdir, path), 'mine');
    const { exitCode, stderr } = await scalars(format, outdir);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`${path} already exists with different content and was not overwritten`),
    ]);
    expect(read(join(outdir, path))).toBe('mine');
    expect(readdirSync(join(host.folder, outdir), { recursive: true, encoding: 'utf8' }).join()).not.toContain('.part');
  });

  it('name a folder that is a file, or below one', async () => {
    writeFileSync(join(host.folder, 'file'), 'mine');
    for (const format of ['raw', 'csv', 'events', 'bundle'])
      for (const outdir of ['file', 'file/below']) {
        const { exitCode, stderr } = await scalars(format, outdir);
        expect([format, outdir, exitCode, stderr]).toEqual([
          format,
          outdir,
          1,
          expect.stringContaining(`Cannot write to ${join(host.folder, outdir)}: `),
        ]);
      }
  });

  it.each([
    [['--superseded'], '--superseded is only for tables: add --format csv'],
    [['--format', 'csv', '--job', '--superseded'], 'Omit --job'],
    [['--format', 'csv', '--job', '--guard-formulas'], 'Omit --job'],
  ])('with %j are an error of usage', async (flags, text) => {
    const { exitCode, stderr } = await host.run(['export', id, '--outdir', 'none', ...flags]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it.each([
    [[], 'A report can only be exported as a page: add --format bundle.'],
    [['--format', 'bundle', '--logs'], 'omit the other options'],
    [['--format', 'bundle', '--run', 'a'], 'omit the other options'],
  ])('of reports with %j are an error of usage', async (flags, text) => {
    for (const report of [
      '5b1f4f0e-5c1f-4d8f-9d6b-0a8a8f6a3c11',
      'https://plots.example/x/reports/5b1f4f0e-5c1f-4d8f-9d6b-0a8a8f6a3c11/edit?x#y',
    ]) {
      const { exitCode, stderr } = await host.run(['export', report, '--outdir', 'none', ...flags]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
    }
  });

  it('upload nothing to a snapshot, with one error', async () => {
    for (const name of ['a', 'b']) host.write(`logs/${name}/tfevents.1`, eventBytes(100));
    const { exitCode, stdout, stderr } = await host.run(['upload', '--logdir', 'logs', '--one-shot', '--experiment', copy]);
    expect([exitCode, stdout, stderr.match(/is a snapshot, which never changes/g)]).toEqual([1, '', [expect.anything()]]);
  });

  it('reject a malformed digest', async () => {
    const { exitCode, stderr } = await host.run(['verify', '--snapshot', 'sha256:0000', '--logdir', 'events']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('64 hexadecimal digits')]);
  });

  it('stay when the experiment is deleted, and the command says so', async () => {
    const cited = await host.run(['snapshot', id, '--title', 'As published', '--author', 'Doe, Jane', '--license', 'CC-BY-4.0']);
    expect(cited.exitCode).toBe(0);
    const { exitCode, stdout } = await host.run(['delete', id, '--yes']);
    expect([exitCode, stdout]).toEqual([0, `Deleted ${id}. 2 snapshots, 1 of them citable, keep their copies.\n`]);
    expect((await host.run(['show', copy])).exitCode).toBe(0);
  });
});
