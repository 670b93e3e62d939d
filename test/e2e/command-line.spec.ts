import { appendFile, mkdir, mkdtemp, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '#model';
import { frameRecord } from '#records/testing';
import { type EventSpec, writeEventFile } from '#testing';
import { listSeries, readExperiment } from './rest-run.ts';
import { Cli, type CliResult, Service, type Uploaded } from './service.ts';

/* The CLI with bad input, and with logs that change during uploads, on the real service. */

let service: Service;
let folder: string;
let logdir: string;
let cli: Cli;

beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.dispose());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plotline-cli-'));
  logdir = join(folder, 'logs');
  await mkdir(join(logdir, 'train'), { recursive: true });
  cli = new Cli(service, join(folder, 'state'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const scalars = (from: number, to: number, add = 0): EventSpec[] =>
  Array.from({ length: to - from }, (_, i) => ({
    step: from + i,
    wallTime: 1_700_000_000 + from + i,
    simpleValues: { loss: from + i + add },
  }));
const trainFile = (): string => join(logdir, 'train', 'events.out.tfevents.1');

describe('exit codes', () => {
  it('1 without event files, with the folders it searched', async () => {
    await mkdir(join(logdir, 'deep', 'deeper'), { recursive: true });
    await writeFile(join(logdir, 'deep', 'notes.txt'), '');
    const empty = await cli.run('upload', '--logdir', logdir, '--one-shot');
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining(`looked in ${logdir} and 3 folders below it`) as string });
    const absent = await cli.run('upload', '--logdir', join(folder, 'absent'), '--one-shot', '--json');
    expect(absent.code).toBe(1);
    expect(JSON.parse(absent.stdout)).toMatchObject({
      error: { code: 'no-event-files', detail: expect.stringContaining(join(folder, 'absent')) as string },
    });
  });

  it('2 for wrong usage, with nothing on stdout except a requested document', async () => {
    for (const args of [
      ['upload', '--logdir', logdir, '--bogus'],
      ['upload'],
      ['upload', '--logdir', logdir, '--connections', '0'],
      ['upload', '--logdir', logdir, '--compress', 'rar'],
      ['upload', '--logdir', logdir, '--new', '--experiment', 'A'.repeat(22)],
      ['bogus'],
      ['show'],
      ['export', 'A'.repeat(22), '--format', 'pickle'],
    ]) {
      const result = await cli.run(...args);
      expect(result, args.join(' ')).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr, args.join(' ')).not.toBe('');
    }
    expect(JSON.parse((await cli.run('list', '--bogus', '--json')).stdout)).toMatchObject({ error: { code: 'usage' } });
  });

  it('3 if not signed in, without naming a secret', async () => {
    await writeFile(trainFile(), writeEventFile(scalars(0, 3)));
    const wrong = { PLOTLINE_TOKEN: `plt_${'x'.repeat(36)}`, PLOTLINE_SERVER: service.url };
    for (const args of [['list'], ['whoami'], ['show', 'A'.repeat(22)], ['upload', '--logdir', logdir, '--one-shot']]) {
      const result = await cli.spawn(args, wrong).ended;
      expect(result, args.join(' ')).toMatchObject({ code: 3, stderr: expect.stringContaining('plotline login') as string });
      expect(result.stdout + result.stderr).not.toContain(wrong.PLOTLINE_TOKEN);
    }
    const nowhere = await cli.spawn(['list'], { PLOTLINE_DATA_DIR: join(folder, 'none') }).ended;
    expect(nowhere.code).toBe(3);
  });

  it('4 for missing objects', async () => {
    await writeFile(trainFile(), writeEventFile(scalars(0, 3)));
    const id = 'A'.repeat(22);
    for (const args of [
      ['show', id],
      ['export', id, '--outdir', join(folder, 'out')],
      ['delete', id, '--yes'],
      ['update', id, '--name', 'x'],
      ['status', id],
      ['verify', id, '--logdir', logdir],
      ['upload', '--logdir', logdir, '--one-shot', '--experiment', id],
    ])
      expect(await cli.run(...args), args.join(' ')).toMatchObject({ code: 4 });
    const { experiment_id: present } = await cli.json<Uploaded>('upload', '--logdir', logdir, '--one-shot');
    for (const part of [
      ['--tag', 'nope'],
      ['--steps', '100..200'],
    ])
      expect(await cli.run('delete', present, ...part, '--yes'), part.join(' ')).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('Nothing was deleted') as string,
      });
  });

  it('5 over a limit, which it names', async () => {
    await writeFile(trainFile(), writeEventFile(scalars(0, 3)));
    const result = await cli.run('upload', '--logdir', logdir, '--one-shot', '--name', 'x'.repeat(limits.maxExperimentNameCharacters + 1));
    expect(result).toMatchObject({ code: 5, stderr: expect.stringContaining(String(limits.maxExperimentNameCharacters)) as string });
  });

  it('0 for damaged files, with a list of unreadable parts', async () => {
    const bytes = writeEventFile(scalars(0, 3));
    const flipped = frameRecord(Uint8Array.of(1, 2, 3));
    flipped[12]! ^= 1;
    await writeFile(trainFile(), Buffer.concat([bytes, flipped, bytes.subarray(0, bytes.length - 5)]));
    const { damaged, points } = await cli.json<Uploaded>('upload', '--logdir', logdir, '--one-shot');
    expect(damaged.map(({ offset, reason }) => [offset, reason])).toEqual([
      [bytes.length, 'data-checksum'],
      [expect.any(Number), 'truncated-record'],
    ]);
    expect(points).toBe(5);
  });
});

describe('status', () => {
  it('lists the runs that are behind, since when, and why', async () => {
    await writeFile(trainFile(), writeEventFile(scalars(0, 3)));
    const failing = await Service.start({ env: { PLOTLINE_FAILPOINTS: 'before-ingest-commit=throw' }, processes: 'embedded' });
    try {
      const other = new Cli(failing, join(folder, 'other-state'));
      const uploading = other.spawn(['upload', '--logdir', logdir, '--one-shot']);
      try {
        const behind = async () => {
          const { code, stdout } = await other.run('status', '--logdir', logdir, '--json');
          return code === 0 ? (JSON.parse(stdout) as { behind: { run: string; why: string; bytes: number }[] }).behind : [];
        };
        await expect
          .poll(behind, { timeout: 20_000 })
          .toMatchObject([{ run: 'train', why: 'failing', bytes: expect.any(Number) as number }]);
        const { stdout } = await other.run('status', '--logdir', logdir);
        expect(stdout).toMatch(/^train +\d+ B +\d{4}-\d{2}-\d{2}T.*(failed \d+ times?|cannot be ingested now): .*A test injected a fault/m);
      } finally {
        uploading.child.kill('SIGKILL');
        await uploading.ended;
      }
    } finally {
      await failing.dispose();
    }
  });
});

describe('a log that is rotated between two uploads', () => {
  it('counts once under its new name; commands list files that add no points, and what a table omits', async () => {
    await writeFile(trainFile(), writeEventFile(scalars(0, 40)));
    const { experiment_id: id } = await cli.json<Uploaded>('upload', '--logdir', logdir, '--one-shot');
    await rename(trainFile(), `${trainFile()}.rotated`);
    await writeFile(trainFile(), writeEventFile(scalars(40, 60)));
    await cli.json<Uploaded>('upload', '--logdir', logdir, '--one-shot');

    const counts = async () => (await listSeries(service, id)).map(({ points, superseded_points: superseded }) => [points, superseded]);
    expect(await counts()).toEqual([[60, 0]]);
    const old = { run: 'train', name: 'events.out.tfevents.1', version: 1, why: 'copy' };
    expect(await cli.json('status', id)).toMatchObject({ files_not_counted: [old] });
    expect(await cli.json('verify', id, '--logdir', logdir)).toMatchObject({ verified: true, files_not_counted: [old] });
    expect((await cli.run('status', id)).stdout).toContain('a copy of train/events.out.tfevents.1.rotated; its points are counted once');
    const whole = await cli.run('export', id, '--format', 'csv', '--outdir', join(folder, 'whole'));
    expect(whole.stdout).toMatch(/Wrote 60 points/);
    expect(whole.stdout).not.toContain('Left out');

    const restart = writeEventFile(scalars(50, 70).map((event) => ({ ...event, wallTime: event.wallTime! + 1_000 })));
    await writeFile(join(logdir, 'train', 'events.out.tfevents.2'), restart);
    const again = await cli.run('upload', '--logdir', logdir, '--one-shot');
    expect(again.stdout).toContain('10 of them are superseded: the same steps were logged again');
    expect(await counts()).toEqual([[70, 10]]);
    const effective = await cli.run('export', id, '--format', 'csv', '--outdir', join(folder, 'effective'));
    expect(effective.stdout).toMatch(/Wrote 70 points[^]*Left out 10 superseded points. To include them, add --superseded/);
    expect(await cli.json('export', id, '--format', 'csv', '--superseded', '--outdir', join(folder, 'all'))).toMatchObject({
      points: 80,
      superseded_left_out: 0,
    });
  });
});

describe('two ranks that log one tag at the same time', () => {
  it('have separate columns in tables and on the screen', async () => {
    for (const rank of [0, 1])
      await writeFile(
        join(logdir, 'train', `events.out.tfevents.${1 + rank}.rank${rank}`),
        writeEventFile(
          scalars(0, 5).map((event) => ({
            ...event,
            wallTime: event.wallTime! + rank / 2,
            simpleValues: { loss: 100 * rank + Number(event.step) },
          })),
        ),
      );
    const { experiment_id: id } = await cli.json<Uploaded>('upload', '--logdir', logdir, '--one-shot');
    await cli.run('export', id, '--format', 'csv', '--outdir', join(folder, 'table'));
    const lines = (await readFile(join(folder, 'table', 'scalars.csv'), 'utf8')).trimEnd().split('\n');
    expect(lines[0]).toBe('run,tag,writer,step,wall_time,value');
    expect(lines.slice(1).map((line) => [Number(line.split(',')[2]), Number(line.split(',')[5])])).toEqual([
      ...[0, 1, 2, 3, 4].map((value) => [0, value]),
      ...[100, 101, 102, 103, 104].map((value) => [1, value]),
    ]);
    expect((await cli.run('show', id)).stdout).toMatch(/TAG +WRITER +CLASS/);
  });
});

describe('links', () => {
  it('in loops end; each file is uploaded once per path to it, and the command reports that', async () => {
    await writeFile(trainFile(), writeEventFile(scalars(0, 3)));
    await symlink('..', join(logdir, 'train', 'up'));
    await symlink('.', join(logdir, 'self'));
    await symlink('b', join(logdir, 'a'));
    await symlink('a', join(logdir, 'b'));
    await symlink('/proc/self/fd/0', join(logdir, 'stdin.tfevents'));
    await symlink('/dev/zero', join(logdir, 'endless.tfevents'));
    await symlink('nowhere', join(logdir, 'broken.tfevents'));
    await symlink('train', join(logdir, 'again'));
    const { code, stdout, stderr } = await cli.run('upload', '--logdir', logdir, '--one-shot', '--json');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('not followed');
    const { experiment_id, files } = JSON.parse(stdout) as Uploaded;
    expect((await listSeries(service, experiment_id)).map(({ run }) => run)).toEqual(['again', 'train']);
    expect(files).toBe(2);
  });
});

describe('a log directory that changes while it is watched', () => {
  let output = '';
  let experimentId = '';
  let ended: Promise<CliResult>;
  let stop: () => void;

  /** Starts watching; resolves when the first file is uploaded and visible. */
  async function watch(): Promise<void> {
    output = '';
    const watching = cli.spawn(['upload', '--logdir', logdir]);
    for (const stream of [watching.child.stdout!, watching.child.stderr!]) stream.on('data', (piece: string) => (output += piece));
    ended = watching.ended;
    stop = () => watching.child.kill('SIGINT');
    await expect.poll(() => output, { timeout: 60_000 }).toMatch(/\/e\/[A-Za-z0-9]{22}/);
    experimentId = /\/e\/([A-Za-z0-9]{22})/.exec(output)![1]!;
  }
  async function says(what: RegExp): Promise<void> {
    await expect.poll(() => output, { timeout: 60_000, interval: 100 }).toMatch(what);
  }
  const files = async () =>
    (
      await service.json<{ files: { run: string; name: string; version: number; bytes: number }[] }>(`/experiments/${experimentId}/files`)
    ).files.map(({ run, name, version, bytes }) => [`${run}/${name}`, version, bytes]);
  async function uploads(...wanted: [string, number, number][]): Promise<void> {
    await expect.poll(files, { timeout: 60_000, interval: 100 }).toEqual(wanted);
  }
  const train = 'train/events.out.tfevents.1';

  afterEach(async () => {
    stop();
    await ended;
  });

  it('keeps the uploaded part of a file that shrinks, is replaced or is deleted, and reports it', async () => {
    const first = writeEventFile(scalars(0, 10));
    await writeFile(trainFile(), first);
    await watch();
    await uploads([train, 1, first.length]);

    // The file only grows, so there is nothing to report.
    const more = writeEventFile(scalars(10, 12)).subarray(writeEventFile([]).length);
    await appendFile(trainFile(), more);
    await uploads([train, 1, first.length + more.length]);
    expect(output).not.toMatch(/version/);

    const cut = first.length - 60;
    await truncate(trainFile(), cut);
    await says(/is shorter than the file uploaded under its name: uploading it as version 2; earlier uploads are kept/);
    await uploads([train, 1, first.length + more.length], [train, 2, cut]);

    const other = writeEventFile(scalars(0, 20, 0.5));
    await writeFile(join(folder, 'other'), other);
    await rename(join(folder, 'other'), trainFile());
    await says(/differs from the file uploaded under its name: uploading it as version 3/);
    await uploads([train, 1, first.length + more.length], [train, 2, cut], [train, 3, other.length]);

    await rm(join(logdir, 'train'), { recursive: true });
    await says(/train\/events\.out\.tfevents\.1 was deleted here; the uploaded data is kept/);
    // A new run is uploaded, too.
    const late = writeEventFile(scalars(0, 2));
    await mkdir(join(logdir, 'late'));
    await writeFile(join(logdir, 'late', 'tfevents'), late);
    await says(/New run: late/);
    await expect.poll(files, { timeout: 60_000 }).toHaveLength(4);
    stop();
    expect((await ended).code).toBe(130);

    // The last write of each step wins; superseded points are still stored.
    await expect
      .poll(async () => (await service.json<{ visible: boolean }>(`/experiments/${experimentId}/frontier`)).visible, { timeout: 60_000 })
      .toBe(true);
    const series = (await readExperiment(service, experimentId)).get('train')!.get('loss')!;
    const effective = series.scalars.filter((_, i) => !series.superseded[i]);
    expect(effective.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, step) => step + 0.5));
    expect(series.scalars.length).toBe(12 + 8 + 20);
  });

  it('continues while files are rewritten in place repeatedly, and ends with the last version', async () => {
    await writeFile(trainFile(), writeEventFile(scalars(0, 50)));
    await watch();
    let last = new Uint8Array();
    for (let rewrite = 0; rewrite < 5; rewrite++) {
      last = new Uint8Array(writeEventFile(scalars(0, 30 + rewrite * 7, rewrite / 8)));
      await writeFile(trainFile(), last);
      await new Promise((resolve) => setTimeout(resolve, 300 * rewrite)); // sooner and later than the next poll
    }
    await expect.poll(async () => (await files()).at(-1)?.[2], { timeout: 60_000, interval: 100 }).toBe(last.length);
    stop();
    await ended;
    const done = await cli.json<Uploaded>('upload', '--logdir', logdir, '--one-shot');
    expect(done.experiment_id).toBe(experimentId);
    expect(await cli.run('verify', experimentId, '--logdir', logdir)).toMatchObject({ code: 0 });
  });
});
