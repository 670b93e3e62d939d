import { appendFileSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeServer, type FakeServerOptions, type Fault } from '../testing/fake-server.ts';
import { eventBytes } from '../testing/event-bytes.ts';
import { TestHost } from '../testing/test-host.ts';
import { writeEventFile } from '#testing';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function setUp(options: FakeServerOptions = {}) {
  const server = new FakeServer({ token: 'secret', ...options });
  const host = new TestHost({ PLOTLINE_SERVER: await server.start(), PLOTLINE_TOKEN: 'secret' });
  cleanUps.push(
    () => server.stop(),
    () => host.remove(),
  );
  return { server, host };
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const upload = ['upload', '--logdir', 'logs', '--one-shot', '--json'];

/** Writes random files of these sizes below `logs`; returns what the server should then have. */
function writeLogs(host: TestHost, sizes: Record<string, number>): Record<string, string> {
  const wanted: Record<string, string> = {};
  for (const [path, size] of Object.entries(sizes)) {
    const bytes = eventBytes(size);
    host.write(`logs/${path}`, bytes);
    wanted[path.includes('/') ? path : `./${path}`] = sha256(bytes);
  }
  return wanted;
}

const someLogs = {
  'tfevents.root': 1000,
  'a/tfevents.1': 300_000,
  'a/tfevents.2': 0,
  'b/c/tfevents.1': 20 * 1024 * 1024,
  'b/tfevents.1': 5_000_000,
  'b/notes.txt': 20,
};
const { 'b/notes.txt': _notes, ...eventLogs } = someLogs;

describe('plotline upload --one-shot', () => {
  it('uploads every event file and reports what it did', async () => {
    const { server, host } = await setUp();
    const wanted = writeLogs(host, eventLogs);
    const { exitCode, stdout } = await host.run([...upload, '--name', 'N', '--description', 'D']);
    expect(exitCode).toBe(0);
    expect(server.contents()).toEqual(wanted);
    const experiment = [...server.experiments.values()][0];
    expect(experiment).toMatchObject({ name: 'N', description: 'D' });
    const bytes = Object.values(eventLogs).reduce((a, b) => a + b);
    expect(JSON.parse(stdout)).toMatchObject({
      experiment_id: experiment?.id,
      url: `http://fake/e/${experiment?.id}`,
      runs: 4,
      files: 5,
      bytes,
      uploaded_bytes: bytes,
      damaged: [],
      visible_seconds: expect.any(Number),
    });
    expect([...server.files.values()].every((file) => file.completedBytes === file.bytes.length)).toBe(true);
  });

  it('sends nothing the second time, to the same experiment', async () => {
    const { server, host } = await setUp();
    writeLogs(host, eventLogs);
    const first = JSON.parse((await host.run(upload)).stdout);
    const received = server.receivedBytes;
    const second = JSON.parse((await host.run(upload)).stdout);
    expect(second.experiment_id).toBe(first.experiment_id);
    expect(second.uploaded_bytes).toBe(0);
    expect(server.receivedBytes).toBe(received);
    expect(server.experiments.size).toBe(1);
  });

  it('sends only what was appended', async () => {
    const { server, host } = await setUp();
    const logs = join(host.folder, 'logs');
    writeLogs(host, { 'a/tfevents.1': 5000 });
    await host.run(upload);
    appendFileSync(join(logs, 'a/tfevents.1'), eventBytes(300));
    const { uploaded_bytes } = JSON.parse((await host.run(upload)).stdout);
    expect(uploaded_bytes).toBe(300);
    expect([...server.files.values()].map((file) => file.bytes.length)).toEqual([5300]);
  });

  it('creates another experiment with --new and continues with it', async () => {
    const { server, host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 20 });
    const first = JSON.parse((await host.run(upload)).stdout);
    const second = JSON.parse((await host.run([...upload, '--new'])).stdout);
    const third = JSON.parse((await host.run(upload)).stdout);
    expect(second.experiment_id).not.toBe(first.experiment_id);
    expect(third.experiment_id).toBe(second.experiment_id);
    expect(server.experiments.size).toBe(2);
  });

  it('reports that a remembered experiment was deleted, and creates a new one', async () => {
    const { server, host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 20 });
    const first = JSON.parse((await host.run(upload)).stdout);
    server.experiments.delete(first.experiment_id);
    const { exitCode, stdout, stderr } = await host.run(upload);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`${first.experiment_id}, to which this directory was uploaded, no longer exists. Starting a new experiment`);
    expect(JSON.parse(stdout).experiment_id).not.toBe(first.experiment_id);
  });

  it('continues from another machine with --experiment', async () => {
    const { server, host } = await setUp();
    const wanted = writeLogs(host, { 'a/tfevents.1': 5000 });
    const { experiment_id } = JSON.parse((await host.run(upload)).stdout);
    host.env['XDG_STATE_HOME'] = join(host.folder, 'another');
    const { uploaded_bytes } = JSON.parse((await host.run([...upload, '--experiment', experiment_id])).stdout);
    expect(uploaded_bytes).toBe(0);
    expect(server.contents()).toEqual(wanted);
  });

  it('reports how long it took until everything was visible, unless --no-wait', async () => {
    const { host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 20 });
    expect((await host.run(['upload', '--logdir', 'logs', '--one-shot'])).stdout).toMatch(
      / are visible, \d+\.\d\d s after the last byte was acknowledged\./,
    );
    expect(JSON.parse((await host.run([...upload, '--no-wait'])).stdout)).not.toHaveProperty('visible_seconds');
  });

  it('counts the folders that it read, and the visible runs', async () => {
    const { host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 20, 'a/tfevents.2': 20, 'nothing/tfevents.1': 0 });
    const { stdout } = await host.run(['upload', '--logdir', 'logs', '--one-shot']);
    expect(stdout).toContain('(3 files in 2 folders)');
    expect(stdout).toMatch(/\d points in 1 run are visible/);
    expect(stdout).toContain('1 folder of 2 had no readable data and are not shown as runs.');
  });

  it('exits 4 for an experiment that does not exist, 3 without a token, 1 without event files, 2 for an unknown flag', async () => {
    const { host } = await setUp();
    host.write('empty/x/notes.txt', '');
    writeLogs(host, { 'a/tfevents.1': 20 });
    expect((await host.run([...upload, '--experiment', 'A'.repeat(22)])).exitCode).toBe(4);
    const none = await host.run(['upload', '--logdir', 'empty', '--one-shot']);
    expect(none.exitCode).toBe(1);
    expect(none.stderr).toContain(join(host.folder, 'empty'));
    expect((await host.run(['upload', '--logdir', 'absent'])).exitCode).toBe(1);
    expect((await host.run([...upload, '--bogus'])).exitCode).toBe(2);
    host.env['PLOTLINE_TOKEN'] = 'wrong';
    expect((await host.run(upload)).exitCode).toBe(3);
    host.env['PLOTLINE_TOKEN'] = undefined;
    expect((await host.run(upload)).exitCode).toBe(3);
  });

  it('names the quarantined record and exits 1', async () => {
    const { host } = await setUp({
      problems: [{ run: 'a', file: 'tfevents.1', version: 1, offset: 40, reason: 'quarantined', detail: 'x' }],
    });
    writeLogs(host, { 'a/tfevents.1': 100 });
    const { exitCode, stdout, stderr } = await host.run(upload);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).damaged).toEqual([{ file: 'a/tfevents.1', offset: 40, reason: 'quarantined' }]);
    expect(stderr).toContain('a/tfevents.1: quarantined at byte 40');
  });

  it('names the bytes that the service lost and exits 1', async () => {
    const { host } = await setUp({
      problems: [{ run: 'a', file: 'tfevents.1', version: 1, offset: 40, reason: 'stored-bytes-lost', detail: 'x' }],
    });
    writeLogs(host, { 'a/tfevents.1': 100 });
    const { exitCode, stdout, stderr } = await host.run(upload);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).damaged).toEqual([{ file: 'a/tfevents.1', offset: 40, reason: 'stored-bytes-lost' }]);
    expect(stderr).toContain('a/tfevents.1: stored-bytes-lost at byte 40');
  });

  it('creates a new version of a replaced file, and finds the old version again when it comes back', async () => {
    const { server, host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 5000 });
    const path = join(host.folder, 'logs/a/tfevents.1');
    await host.run(upload);
    renameSync(path, join(host.folder, 'old'));
    host.write('logs/a/tfevents.1', eventBytes(6000));
    const { stderr } = await host.run(upload);
    expect(stderr).toContain('differs from the file uploaded under its name: uploading it as version 2');
    expect([...server.files.values()].map((file) => [file.version, file.bytes.length])).toEqual([
      [1, 5000],
      [2, 6000],
    ]);
    renameSync(join(host.folder, 'old'), path);
    expect(JSON.parse((await host.run(upload)).stdout).uploaded_bytes).toBe(0);
    truncateSync(path, 4000);
    expect((await host.run(upload)).stderr).toContain('uploading it as version 3');
    expect([...server.files.values()].map((file) => file.bytes.length)).toEqual([5000, 6000, 4000]);
  });

  it('compresses on request, with the same bytes in the service', async () => {
    const { server, host } = await setUp();
    const bytes = eventBytes('training '.repeat(100_000));
    host.write('logs/a/tfevents.1', bytes);
    expect((await host.run([...upload, '--compress', 'zstd'])).exitCode).toBe(0);
    expect(server.contents()).toEqual({ 'a/tfevents.1': sha256(bytes) });
  });

  describe('with columns', () => {
    const logs = Buffer.from(
      writeEventFile(
        Array.from({ length: 3_000 }, (_, step) => ({ step, scalars: { loss: 1 / (step + 1), 'train/accuracy': Math.sin(step) } })),
      ),
    );

    it.each([
      { name: 'sends them to a server that reads them', options: { limits: { columnsVersion: 1 } }, codings: ['plotline-columns'] },
      { name: 'sends zstd to a server that does not say so', options: {}, codings: ['zstd'] },
      {
        name: 'sends zstd if an older process of the service rejects columns',
        options: { limits: { columnsVersion: 1 }, unknownCoding: 'plotline-columns' },
        codings: ['zstd'],
      },
    ])('$name, with the same bytes at the other end', async ({ options, codings }) => {
      const { server, host } = await setUp(options);
      host.write('logs/a/tfevents.1', logs);
      host.write('logs/b/tfevents.1', logs.subarray(0, 200_001));
      const { exitCode, stderr } = await host.run([...upload, '--compress', 'columns']);
      expect(exitCode, stderr).toBe(0);
      expect(server.contents()).toEqual({ 'a/tfevents.1': sha256(logs), 'b/tfevents.1': sha256(logs.subarray(0, 200_001)) });
      expect([...server.codings]).toEqual(codings);
    });

    it('sends bytes unchanged if encoding does not shorten them', async () => {
      const { server, host } = await setUp({ limits: { columnsVersion: 1 } });
      const bytes = eventBytes(50_000);
      host.write('logs/a/tfevents.1', bytes);
      expect((await host.run([...upload, '--compress', 'columns'])).exitCode).toBe(0);
      expect(server.contents()).toEqual({ 'a/tfevents.1': sha256(bytes) });
      expect([...server.codings]).toEqual(['none']);
    });
  });

  it('uploads the other files when one is rejected, names it and exits 1', async () => {
    const { server, host } = await setUp({ fault: ({ method, path }) => (method === 'POST' && path === '/files/1/complete' ? 400 : null) });
    writeLogs(host, { 'a/tfevents.1': 20, 'b/tfevents.1': 20 });
    const { exitCode, stdout } = await host.run([...upload, '--connections', '1']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).failed).toHaveLength(1);
    expect([...server.files.values()].map((file) => file.completedBytes)).toEqual([null, 20]);
  });
});

describe('an upload over a bad connection', () => {
  /** Faults from a seeded generator, so that a failure can be reproduced. */
  function faults(seed: number, share: number): FakeServerOptions['fault'] {
    let state = seed;
    const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
    const kinds: Fault[] = ['lose-response', 'lose-response', 'cut-request', 503, 429];
    return () => (next() < share ? (kinds[Math.floor(next() * kinds.length)] ?? null) : null);
  }

  it.each([1, 2, 3])(
    'ends with the same bytes, without duplicates or rejections, when a third of the requests fail (seed %i)',
    async (seed) => {
      const { server, host } = await setUp({ fault: faults(seed, 0.33) });
      const wanted = writeLogs(host, eventLogs);
      const { exitCode } = await host.run(upload);
      expect(exitCode).toBe(0);
      expect(server.contents()).toEqual(wanted);
      expect(server.experiments.size).toBe(1);
      expect(server.conflicts).toBe(0);
    },
  );

  it('costs one more request for each lost response', async () => {
    let lost = 0;
    let asked = 0;
    const { server, host } = await setUp({
      fault: ({ method }) => (method === 'PATCH' && asked++ % 3 === 0 ? (lost++, 'lose-response') : null),
    });
    writeLogs(host, eventLogs);
    await host.run(upload);
    const ranges = [...server.files.values()].reduce((sum, file) => sum + file.segments.size, 0);
    expect(lost).toBeGreaterThan(1);
    expect(server.log.filter((line) => line.startsWith('PATCH')).length).toBe(ranges + lost);
  });

  it.each([
    ['uses the prefix for uploads that the service has', { limits: { uploadsVersion: 1 }, routesUploads: true }, 'all'],
    ['uses no prefix with a service that has none', { routesUploads: true }, 'none'],
    ['falls back if the proxy or an older process does not route it', { limits: { uploadsVersion: 1 } }, 'first'],
  ] as const)('%s', async (_, options, prefixed) => {
    const { server, host } = await setUp(options);
    const wanted = writeLogs(host, eventLogs);
    expect((await host.run(upload)).exitCode).toBe(0);
    expect(server.contents()).toEqual(wanted);
    const uploads = server.log.filter((line) => /^(POST|PATCH|HEAD) .*\/files(\/|$)/.test(line)).map((line) => line.includes(' /uploads/'));
    expect(uploads.length).toBeGreaterThan(5);
    if (prefixed === 'first') {
      expect(uploads[0]).toBe(true);
      expect(uploads.slice(-5)).toEqual([false, false, false, false, false]);
    } else expect(uploads.every((has) => has === (prefixed === 'all'))).toBe(true);
  });

  it('retries a new version without creating two', async () => {
    let losses = 0;
    const { server, host } = await setUp({
      fault: ({ method, path }) => (losses > 0 && method === 'POST' && path.endsWith('/files') && losses-- > 0 ? 'lose-response' : null),
    });
    writeLogs(host, { 'a/tfevents.1': 5000 });
    await host.run(upload);
    host.write('logs/a/tfevents.1', eventBytes(6000));
    losses = 2;
    await host.run(upload);
    expect(losses).toBe(0);
    expect([...server.files.values()].map((file) => [file.version, file.bytes.length])).toEqual([
      [1, 5000],
      [2, 6000],
    ]);
  });

  it('continues from stored ranges of an interrupted upload without sending them again', async () => {
    const { server, host } = await setUp();
    const bytes = eventBytes(1_000_000);
    host.write('logs/a/tfevents.1', bytes);
    const { experiment_id } = JSON.parse((await host.run(['upload', '--logdir', 'logs', '--one-shot', '--json'])).stdout);
    const file = [...server.files.values()][0]!;
    // Simulates a first attempt in which only two ranges arrived.
    Object.assign(file, { bytes: bytes.subarray(0, 100_000), completedBytes: null });
    file.segments.clear();
    file.segments.set(0, 100_000).set(300_000, 50_000);
    file.kept.set(300_000, bytes.subarray(300_000, 350_000));
    const { uploaded_bytes } = JSON.parse((await host.run([...upload, '--experiment', experiment_id])).stdout);
    expect(uploaded_bytes).toBe(850_000);
    expect(server.contents()).toEqual({ 'a/tfevents.1': sha256(bytes) });
    expect(server.conflicts).toBe(0);
  });

  it('does not accept stored ranges with other content', async () => {
    const { server, host } = await setUp();
    const bytes = eventBytes(1_000_000);
    host.write('logs/a/tfevents.1', bytes);
    const { experiment_id } = JSON.parse((await host.run(upload)).stdout);
    const file = [...server.files.values()][0]!;
    Object.assign(file, { bytes: bytes.subarray(0, 100_000), completedBytes: null });
    file.segments.clear();
    file.segments.set(0, 100_000).set(300_000, 50_000);
    file.kept.set(300_000, eventBytes(50_000));
    const { exitCode } = await host.run([...upload, '--experiment', experiment_id]);
    expect(exitCode).toBe(0);
    expect(server.contents()['a/tfevents.1@2']).toBe(sha256(bytes));
  });

  it('gives up a file that the server never completes, with a bounded number of versions', async () => {
    const { server, host } = await setUp({ fault: ({ method, path }) => (method === 'POST' && path.endsWith('/complete') ? 409 : null) });
    writeLogs(host, { 'a/tfevents.1': 1000 });
    const { exitCode, stdout } = await host.run(upload);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).failed).toHaveLength(1);
    expect(server.files.size).toBeLessThan(10);
  });

  it('stays within the window of the server', async () => {
    const windowBytes = 1024 * 1024;
    const { server, host } = await setUp({ windowBytes });
    const wanted = writeLogs(host, { 'a/tfevents.1': 30 * 1024 * 1024 });
    expect((await host.run(upload)).exitCode).toBe(0);
    expect(server.contents()).toEqual(wanted);
  });
});

describe('an upload while another machine sends the same files', () => {
  /** The other machine has sent `bytes`, which equal the current local file. */
  async function setUpTwo(bytes: Uint8Array, onRequest: (request: { method: string; path: string }) => Fault | void) {
    let armed = false;
    const { server, host } = await setUp({
      fault: (request) => (armed && onRequest(request)) || null,
    });
    host.write('logs/a/tfevents.1', bytes);
    const { experiment_id } = JSON.parse((await host.run(upload)).stdout);
    host.env['XDG_STATE_HOME'] = join(host.folder, 'another');
    armed = true;
    const [file] = server.files.values();
    return { server, host, file: file!, again: () => host.run([...upload, '--experiment', experiment_id]) };
  }
  const isAnnouncement = ({ method, path }: { method: string; path: string }) => method === 'POST' && path.endsWith('/files');

  it('creates no version of a file that grew after the scan, while the other machine sent more', async () => {
    const bytes = eventBytes(9000);
    const path = () => join(two.host.folder, 'logs/a/tfevents.1');
    let grows = true;
    const two = await setUpTwo(bytes.subarray(0, 5000), (request) => {
      if (!grows || !isAnnouncement(request)) return;
      grows = false;
      appendFileSync(path(), bytes.subarray(5000));
      two.file.bytes = bytes.subarray(0, 8000);
    });
    const { exitCode, stdout, stderr } = await two.again();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ uploaded_bytes: 1000, bytes: 9000 });
    expect(two.server.contents()).toEqual({ 'a/tfevents.1': sha256(bytes) });
  });

  it('waits for a file that is partly visible, as through the cache of a shared file system', async () => {
    const bytes = eventBytes(9000);
    let announced = 0;
    const two = await setUpTwo(bytes.subarray(0, 5000), (request) => {
      if (!isAnnouncement(request)) return;
      announced++;
      if (announced === 1) two.file.bytes = bytes.subarray(0, 8000);
      if (announced === 3) appendFileSync(join(two.host.folder, 'logs/a/tfevents.1'), bytes.subarray(5000));
    });
    const { exitCode, stderr } = await two.again();
    expect(exitCode).toBe(0);
    expect(stderr.trim()).toBe(
      'a/tfevents.1 is shorter here than the file uploaded under its name: checking again for 20 s, in case another machine sees a longer file.',
    );
    expect(two.server.contents()).toEqual({ 'a/tfevents.1': sha256(bytes) });
    expect(announced).toBe(3);
  });

  it('stops during that wait', async () => {
    const bytes = eventBytes(9000);
    const two = await setUpTwo(bytes.subarray(0, 5000), () => undefined);
    two.file.bytes = bytes;
    const running = two.again();
    await two.host.untilPrinted(/is shorter here than/);
    two.host.interrupt();
    expect((await running).exitCode).toBe(130);
    expect(two.server.files.size).toBe(1);
  });

  it('continues however often the other one is faster', async () => {
    const bytes = eventBytes(20_000);
    let sent = 5000;
    const two = await setUpTwo(bytes.subarray(0, 5000), ({ method }) => {
      if (method !== 'PATCH' || sent >= 15_000) return;
      // The requested bytes are already on the server, in other ranges, and the file has grown.
      two.file.segments.set(sent, 1000);
      sent += 1000;
      two.file.bytes = bytes.subarray(0, sent);
      appendFileSync(join(two.host.folder, 'logs/a/tfevents.1'), bytes.subarray(sent + 1000, sent + 2000));
    });
    appendFileSync(join(two.host.folder, 'logs/a/tfevents.1'), bytes.subarray(5000, 7000));
    const { exitCode } = await two.again();
    expect(exitCode).toBe(0);
    expect(two.server.conflicts).toBe(10);
    expect(two.server.contents()).toEqual({ 'a/tfevents.1': sha256(bytes.subarray(0, 17_000)) });
  });

  /**
   * Two machines have uploaded the same file and then replaced it with the given files. Uploads
   * from both at once; returns the resulting files on the server.
   */
  async function replaceOnBoth(replacements: readonly [Uint8Array, Uint8Array]) {
    const { server, host } = await setUp();
    const wanted = writeLogs(host, { 'a/tfevents.1': 5000 });
    const { experiment_id } = JSON.parse((await host.run(upload)).stdout);
    const other = new TestHost(host.env as Record<string, string>);
    cleanUps.push(() => other.remove());
    const machines = [host, other] as const;
    machines.forEach((machine, i) => machine.write('logs/a/tfevents.1', replacements[i]!));
    const ended = await Promise.all(machines.map((machine) => machine.run([...upload, '--experiment', experiment_id])));
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const { 'a/tfevents.1': first, ...later } = server.contents();
    expect(first).toBe(wanted['a/tfevents.1']);
    expect([...server.files.values()].every((file) => file.completedBytes === file.bytes.length && file.kept.size === 0)).toBe(true);
    return Object.values(later).sort();
  }

  it.each([6000, 20 * 1024 * 1024])(
    'creates one version of a file of %i bytes that both machines see replaced at the same moment',
    async (size) => {
      const replaced = eventBytes(size);
      expect(await replaceOnBoth([replaced, replaced])).toEqual([sha256(replaced)]);
    },
  );

  it('creates two versions when different files replace one at the same moment, and mixes no bytes', async () => {
    const [one, another] = [eventBytes(20 * 1024 * 1024), eventBytes(18 * 1024 * 1024)];
    expect(await replaceOnBoth([one, another])).toEqual([sha256(one), sha256(another)].sort());
  });

  it('also does so if these files start with the same bytes', async () => {
    const [one, another] = [eventBytes(20 * 1024 * 1024), eventBytes(18 * 1024 * 1024)];
    one.copy(another, 0, 0, 5000);
    expect(await replaceOnBoth([one, another])).toEqual([sha256(one), sha256(another)].sort());
  });

  it('leaves a new version to the file whose start arrived first', async () => {
    const others = eventBytes(8 * 1024 * 1024);
    let isThere = false;
    const two = await setUpTwo(eventBytes(5000), ({ method, path }) => {
      const version = [...two.server.files.values()][1];
      if (method !== 'PATCH' || isThere || path !== `/files/${version?.id}`) return;
      isThere = true;
      version!.segments.set(0, others.length);
      version!.bytes = others;
    });
    const mine = eventBytes(20 * 1024 * 1024);
    two.host.write('logs/a/tfevents.1', mine);
    expect((await two.again()).exitCode).toBe(0);
    expect(two.server.log.filter((line) => line === `PATCH /files/${[...two.server.files.values()][1]?.id}`)).toHaveLength(1);
    expect([...two.server.files.values()].map(({ bytes, kept }) => [sha256(bytes), kept.size]).slice(1)).toEqual([
      [sha256(others), 0],
      [sha256(mine), 0],
    ]);
  });

  it('sends nothing after bytes of another file that arrived between its first two requests', async () => {
    const mine = eventBytes(20_000);
    const otherStart = Buffer.concat([mine.subarray(0, 5000), eventBytes(4000)]);
    let isThere = false;
    const two = await setUpTwo(mine.subarray(0, 5000), ({ method }) => {
      if (method !== 'HEAD' || isThere) return;
      isThere = true;
      two.file.segments.set(5000, 4000);
      two.file.bytes = otherStart;
    });
    two.host.write('logs/a/tfevents.1', mine);
    expect((await two.again()).exitCode).toBe(0);
    expect(two.server.contents()).toEqual({ 'a/tfevents.1': sha256(otherStart), 'a/tfevents.1@2': sha256(mine) });
  });

  it('compares the content of a version that was created before its request', async () => {
    const mine = eventBytes(20 * 1024 * 1024);
    let announced = 0;
    const two = await setUpTwo(eventBytes(5000), (request) => {
      if (!isAnnouncement(request)) return null;
      announced++;
      if (announced === 2) return 'lose-response';
      // Before the next request, another machine has sent the start of the same file.
      if (announced === 3) {
        const version = [...two.server.files.values()][1]!;
        version.segments.set(0, 9_000_000);
        version.bytes = mine.subarray(0, 9_000_000);
      }
      return null;
    });
    two.host.write('logs/a/tfevents.1', mine);
    expect(JSON.parse((await two.again()).stdout).uploaded_bytes).toBe(mine.length - 9_000_000);
    expect(two.server.conflicts).toBe(0);
    expect(two.server.contents()['a/tfevents.1@2']).toBe(sha256(mine));
  });
});

describe('the memory of the CLI', () => {
  it('is harmless when its file is truncated at any byte', async () => {
    const { server, host } = await setUp();
    const wanted = writeLogs(host, { 'a/tfevents.1': 50 });
    await host.run(upload);
    const folder = join(host.folder, 'state/plotline/uploads');
    const [name] = readdirSync(folder);
    const path = join(folder, name!);
    for (let length = 200; length >= 0; length--) {
      truncateSync(path, length);
      const { exitCode, stdout } = await host.run(upload);
      expect([exitCode, JSON.parse(stdout).uploaded_bytes]).toEqual([0, 0]);
    }
    expect(server.experiments.size).toBe(1);
    expect(server.contents()).toEqual(wanted);
    expect(server.conflicts).toBe(0);
  });

  it('requests the same experiment again after it was stopped before the response', async () => {
    let armed = true;
    const { server, host } = await setUp({
      fault: ({ method, path }) => (armed && method === 'POST' && path === '/experiments' ? 'lose-response' : null),
    });
    writeLogs(host, { 'a/tfevents.1': 50 });
    const running = host.run(upload);
    await host.untilPrinted(/retrying/);
    host.interrupt();
    expect((await running).exitCode).toBe(130);
    armed = false;
    expect((await host.run(upload)).exitCode).toBe(0);
    expect(server.experiments.size).toBe(1);
  });
});

describe('a killed CLI', () => {
  it('is continued by the next one, with the same result', async () => {
    const { server, host } = await setUp();
    const wanted = writeLogs(host, eventLogs);
    const main = fileURLToPath(new URL('../main.ts', import.meta.url));
    for (let attempt = 0; attempt < 12; attempt++) {
      const child = spawn(process.execPath, ['--conditions=source', main, ...upload], {
        cwd: host.folder,
        env: { ...host.env, PATH: process.env['PATH'] },
        stdio: 'ignore',
      });
      const exited = new Promise((resolve) => child.once('exit', resolve));
      const requests = server.log.length + attempt;
      // Each attempt is killed after one more request than the previous attempt.
      while (server.log.length < requests && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
      child.kill('SIGKILL');
      await exited;
    }
    expect((await host.run(upload)).exitCode).toBe(0);
    expect(server.experiments.size).toBe(1);
    expect(server.contents()).toEqual(wanted);
  });
});

describe('plotline upload, watching', () => {
  it('uploads new and growing files, keeps deleted ones, reports replaced ones, and stops on Ctrl-C (E.9)', async () => {
    const { server, host } = await setUp();
    const logs = join(host.folder, 'logs');
    writeLogs(host, { 'a/tfevents.1': 100, 'gone/tfevents.1': 100 });
    const running = host.run(['upload', '--logdir', 'logs']);
    const until = async (what: () => boolean) => {
      while (!what()) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const sizes = () => Object.fromEntries([...server.files.values()].map((file) => [`${file.run}@${file.version}`, file.bytes.length]));
    await until(() => sizes()['a@1'] === 100 && sizes()['gone@1'] === 100);
    appendFileSync(join(logs, 'a/tfevents.1'), eventBytes(50));
    writeLogs(host, { 'late/tfevents.1': 70 });
    rmSync(join(logs, 'gone'), { recursive: true });
    await host.untilPrinted(/gone\/tfevents\.1 was deleted here; the uploaded data is kept/);
    await until(() => sizes()['a@1'] === 150 && sizes()['late@1'] === 70);
    writeFileSync(join(logs, 'a/tfevents.1'), eventBytes(60));
    await host.untilPrinted(/a\/tfevents\.1 is shorter than the file uploaded under its name: uploading it as version 2/);
    await until(() => sizes()['a@2'] === 60);
    writeFileSync(join(logs, 'late/tfevents.1'), eventBytes(90));
    await host.untilPrinted(/late\/tfevents\.1 differs from/);
    await until(() => sizes()['late@2'] === 90);
    host.interrupt();
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('New run: late');
    expect(stderr).toContain('Run the same command again to continue');
    expect(sizes()).toEqual({ 'a@1': 150, 'a@2': 60, 'gone@1': 100, 'late@1': 70, 'late@2': 90 });
  });

  it('exits 4 when the experiment is deleted meanwhile', async () => {
    const { server, host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 100 });
    const running = host.run(['upload', '--logdir', 'logs']);
    await host.untilPrinted(/Everything is uploaded/);
    server.experiments.clear();
    appendFileSync(join(host.folder, 'logs/a/tfevents.1'), eventBytes(50));
    const { exitCode, stdout, stderr } = await running;
    expect(exitCode).toBe(4);
    expect(stdout).toContain('View your experiment at: http://fake/e/');
    expect(stderr).toContain('The experiment was deleted');
  });

  it('finishes requests in flight when interrupted', async () => {
    const { server, host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 3_000_000 });
    const running = host.run(['upload', '--logdir', 'logs', '--connections', '1']);
    while (!server.log.some((line) => line.startsWith('PATCH'))) await new Promise((resolve) => setTimeout(resolve, 1));
    host.interrupt();
    expect((await running).exitCode).toBe(130);
    const [file] = server.files.values();
    expect(file?.bytes.length).toBeGreaterThan(0);
    expect(server.log.filter((line) => line.startsWith('PATCH')).length).toBe(file?.segments.size);
  });
});
