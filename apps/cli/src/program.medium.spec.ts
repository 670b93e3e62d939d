import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeServer } from './testing/fake-server.ts';
import { eventBytes } from './testing/event-bytes.ts';
import { TestHost } from './testing/test-host.ts';

let server: FakeServer;
let host: TestHost;
let onRequest: (path: string) => void;
beforeEach(async () => {
  onRequest = () => undefined;
  server = new FakeServer({ token: 'secret', fault: ({ path }) => (onRequest(path), null) });
  host = new TestHost({ PLOTLINE_SERVER: await server.start(), PLOTLINE_TOKEN: 'secret' });
});
afterEach(async () => {
  await server.stop();
  host.remove();
});

const upload = async () => {
  host.write('logs/a/tfevents.1', eventBytes('some bytes'));
  return JSON.parse((await host.run(['upload', '--logdir', 'logs', '--one-shot', '--json'])).stdout).experiment_id as string;
};

describe('the CLI', () => {
  it.each([
    [['--bogus']],
    [['upload']],
    [['upload', '--logdir', 'x', '--connections', '0']],
    [['list', 'extra']],
    [['export', 'x', '--format', 'png']],
    [['delete', 'A'.repeat(22), '--yes', '--steps', '5']],
    [['delete', 'A'.repeat(22), '--yes', '--steps', '..']],
    [['nonsense']],
  ])('exits 2 for %j', async (args) => {
    const { exitCode, stderr } = await host.run(args);
    expect(exitCode).toBe(2);
    expect(stderr).not.toBe('');
  });

  it.each([
    [['upload', '--logdir', 'a', '--logdir', 'b'], '--logdir'],
    [['upload', '--logdir=a', '--name', 'x', '--name=y'], '--name'],
    [['upload', '--logdir', 'a', '--connections', '2', '--connections', '3'], '--connections'],
    [['upload', '--logdir', 'a', '--compress', 'none', '--compress', 'zstd'], '--compress'],
    [['verify', '--logdir', 'a', '--logdir', 'a'], '--logdir'],
    [['members', 'invite', '--role', 'member', '--role', 'owner'], '--role'],
    [['share', 'x', '--expires', '1', '--expires', 'never'], '--expires'],
    [['tokens', 'create', '--name', 'a', '--name', 'b'], '--name'],
  ])('exits 2 for %j, where one value would be dropped', async (args, flag) => {
    const { exitCode, stderr } = await host.run(args);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(new RegExp(`${flag} <.*is given more than once`))]);
    expect(server.files.size).toBe(0);
  });

  it('accepts repeatable flags any number of times', async () => {
    for (const path of ['a', 'b', 'c']) host.write(`logs/${path}/tfevents`, eventBytes(100));
    const args = [
      'upload',
      '--logdir',
      'logs',
      '--one-shot',
      '--include',
      'a',
      '--include',
      'c',
      '--exclude',
      'x',
      '--exclude',
      'y',
      '--json',
    ];
    expect(JSON.parse((await host.run(args)).stdout)).toMatchObject({ files: 2 });
  });

  it.each([
    ['gs://bucket/logs', 'gcloud storage rsync --recursive gs://bucket/logs DIR'],
    ['s3://bucket/logs', 'aws s3 sync s3://bucket/logs DIR'],
    ['hdfs://host/logs', 'Copy or mount it here'],
    ['file:///logs', 'a path, not an address: /logs'],
    ['~/logs', 'The shell did not expand ~/logs'],
    ['first:./logs', '--logdir ./logs --name first'],
    ['a,b', 'Upload the parent folder, or run the command once for each'],
  ])('says what to do about --logdir %s', async (logdir, advice) => {
    for (const more of [['--one-shot'], ['--dry-run'], []]) {
      const { exitCode, stderr } = await host.run(['upload', '--logdir', logdir, ...more]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(advice)]);
    }
    // An existing folder with this name is accepted.
    if (logdir.includes('//')) return;
    host.write(`${logdir}/tfevents`, eventBytes(100));
    expect((await host.run(['upload', '--logdir', logdir, '--dry-run'])).exitCode).toBe(0);
  });

  it('uploads without a memory, warns once, and ends on an interrupt', async () => {
    host.write('logs/a/tfevents', eventBytes(100));
    for (const state of ['/proc/nowhere', '/dev/null']) {
      host.env['XDG_STATE_HOME'] = state;
      const { exitCode, stderr, stdout } = await host.run(['upload', '--logdir', 'logs', '--one-shot']);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('View your experiment at')]);
      expect(stderr.match(/cannot be written/g)).toHaveLength(1);
      const watching = host.run(['upload', '--logdir', 'logs']);
      await host.untilPrinted(/watching for changes/);
      host.interrupt();
      expect((await watching).exitCode).toBe(130);
    }
  });

  it('waits for event files if there are none yet, and says so; only --one-shot and --dry-run end', async () => {
    host.write('logs/a/notes.txt', 'x');
    host.write('logs/a/tfevents.gz', Buffer.from([0x1f, 0x8b, 8, 0]));
    for (const flag of ['--one-shot', '--dry-run'])
      expect(await host.run(['upload', '--logdir', 'logs', flag])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('gzip') });
    const watching = host.run(['upload', '--logdir', 'logs']);
    await host.untilPrinted(/No event files in .*logs yet; waiting/);
    await host.untilPrinted(/tfevents\.gz: is compressed with gzip/);
    expect(server.experiments.size).toBe(0);
    host.write('logs/a/tfevents.1', eventBytes(100));
    await host.untilPrinted(/watching for changes/);
    expect(server.files.size).toBe(1);
    host.interrupt();
    expect((await watching).exitCode).toBe(130);
    // Nothing was uploaded, so nothing was created.
    host.write('empty/notes.txt', 'x');
    const nothing = host.run(['upload', '--logdir', 'empty', '--json']);
    await host.untilPrinted(/yet; waiting/);
    host.interrupt();
    const { exitCode, stdout } = await nothing;
    expect([exitCode, JSON.parse(stdout)]).toEqual([130, { error: { code: 'interrupted', detail: expect.any(String) as string } }]);
  });

  it.each([['--version'], ['--help']])('exits 0 for %s', async (flag) => {
    const { exitCode, stdout } = await host.run([flag]);
    expect([exitCode, stdout === '']).toEqual([0, false]);
  });

  it('prints one JSON document, also when it fails', async () => {
    for (const args of [
      ['show', 'A'.repeat(22)],
      ['upload', '--logdir', 'absent'],
      ['list', '--bogus'],
      ['show', 'nonsense'],
    ]) {
      const { stdout } = await host.run([...args, '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: expect.any(String), detail: expect.any(String) } });
    }
  });

  it('rejects undeclared settings by name', async () => {
    host.env['PLOTLINE_SERVRE'] = 'x';
    const { exitCode, stderr } = await host.run(['list']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('PLOTLINE_SERVRE')]);
  });

  it('exits 1 if the server does not answer', async () => {
    host.env['PLOTLINE_SERVER'] = 'http://127.0.0.1:9';
    const { exitCode, stderr } = await host.run(['whoami']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Cannot reach http://127.0.0.1:9');
  }, 30_000);
});

describe('plotline login', () => {
  it('stores a working token for its origin, and logout removes it', async () => {
    const origin = host.env['PLOTLINE_SERVER'] as string;
    host.env['PLOTLINE_TOKEN'] = undefined;
    host.env['PLOTLINE_SERVER'] = undefined;
    expect((await host.run(['login', '--server', origin, '--token'], 'wrong\n')).exitCode).toBe(3);
    expect((await host.run(['login', '--server', origin, '--token'], 'secret\n')).exitCode).toBe(0);
    expect((await host.run(['whoami'])).exitCode).toBe(0);
    expect((await host.run(['logout'])).exitCode).toBe(0);
    expect((await host.run(['whoami'])).exitCode).toBe(3);
  });
});

describe('plotline verify', () => {
  it('accepts what was uploaded, and reports exact differences', async () => {
    const id = await upload();
    // The bytes are not an event file, so there are no points locally or on the server.
    const good = await host.run(['verify', '--logdir', 'logs', '--json']);
    expect([good.exitCode, JSON.parse(good.stdout)]).toMatchObject([0, { verified: true, experiment_id: id, files: 1, bytes: 22 }]);
    host.write('logs/a/tfevents.1', eventBytes('same bytes'));
    host.write('logs/b/tfevents.1', eventBytes('new'));
    const bad = await host.run(['verify', '--logdir', 'logs', '--json']);
    expect(bad.exitCode).toBe(1);
    expect(JSON.parse(bad.stdout).differences.map(({ what, run }: { what: string; run: string }) => [what, run])).toEqual([
      ['bytes', 'a'],
      ['missing-there', 'b'],
    ]);
    host.write('logs/a/tfevents.1', eventBytes('some bytes and more'));
    expect(JSON.parse((await host.run(['verify', '--logdir', 'logs', '--json'])).stdout).differences[0]).toMatchObject({
      what: 'not-uploaded',
      run: 'a',
    });
    host.write('logs/a/tfevents.1', eventBytes('some'));
    expect(JSON.parse((await host.run(['verify', '--logdir', 'logs', '--json'])).stdout).differences[0]).toMatchObject({
      what: 'shorter-here',
      run: 'a',
    });
  });

  it('accepts logs that grow, and are uploaded by another process, meanwhile', async () => {
    await upload();
    onRequest = (path) => {
      if (!path.endsWith('/receipt')) return;
      host.write('logs/a/tfevents.1', eventBytes('some bytes and more, not all sent'));
      host.write('logs/b/tfevents.1', eventBytes('a new run'));
      const [file] = server.files.values();
      file!.bytes = eventBytes('some bytes and more');
      server.files.set('2', { ...file!, id: '2', run: 'b', bytes: eventBytes('a new') });
    };
    const { exitCode, stdout } = await host.run(['verify', '--logdir', 'logs', '--json']);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { differences: [], points_compared: true, files: 2, bytes: 48 }]);
  });
});

describe('plotline export', () => {
  it('writes the same bytes, never overwrites other files, and skips existing ones', async () => {
    const id = await upload();
    expect((await host.run(['export', id, '--outdir', 'out'])).exitCode).toBe(0);
    expect(new Set(readdirSync(join(host.folder, 'out'), { recursive: true, encoding: 'utf8' }))).toEqual(new Set(['a', 'a/tfevents.1']));
    expect((await host.run(['verify', id, '--logdir', 'out'])).exitCode).toBe(0);
    expect(JSON.parse((await host.run(['export', id, '--outdir', 'out', '--json'])).stdout)).toMatchObject({ unchanged: 1 });
    host.write('out/a/tfevents.1', 'another 10');
    const { exitCode, stderr } = await host.run(['export', id, '--outdir', 'out']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('was not overwritten')]);
  });

  it("does not touch a person's own files, even if they have the name of an exported file", async () => {
    const id = await upload();
    host.write('out/a/tfevents.1.part', 'mine');
    host.write('out/scalars.csv.part', 'mine');
    host.write('out/scalars.arrow.part', 'mine');
    expect((await host.run(['export', id, '--outdir', 'out'])).exitCode).toBe(0);
    // This server has no tables: only partial output is removed.
    for (const format of ['csv', 'arrow']) expect((await host.run(['export', id, '--outdir', 'out', '--format', format])).exitCode).toBe(1);
    for (const path of ['a/tfevents.1.part', 'scalars.csv.part', 'scalars.arrow.part'])
      expect(readFileSync(join(host.folder, 'out', path), 'utf8')).toBe('mine');
    expect(readdirSync(join(host.folder, 'out')).sort()).toEqual(['a', 'scalars.arrow.part', 'scalars.csv.part']);
  });

  it('keeps hostile names inside the folder', async () => {
    const id = await upload();
    const [file] = server.files.values();
    server.files.set('99', { ...file!, id: '99', run: '../../../evil', name: 'tfevents' });
    const { exitCode, stderr } = await host.run(['export', id, '--outdir', 'out']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('%2E%2E/%2E%2E/%2E%2E/evil/tfevents');
    expect(readdirSync(join(host.folder, 'out')).sort()).toEqual(['%2E%2E', 'a']);
  });
});
