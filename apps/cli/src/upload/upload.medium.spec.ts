import { appendFileSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeServer, type FakeServerOptions, type Fault } from '../testing/fake-server.ts';
import { eventBytes } from '../testing/event-bytes.ts';
import { TestHost } from '../testing/test-host.ts';

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
  it('brings every event file to the server and says what it did', async () => {
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

  it('sends only what was added', async () => {
    const { server, host } = await setUp();
    const logs = join(host.folder, 'logs');
    writeLogs(host, { 'a/tfevents.1': 5000 });
    await host.run(upload);
    appendFileSync(join(logs, 'a/tfevents.1'), eventBytes(300));
    const { uploaded_bytes } = JSON.parse((await host.run(upload)).stdout);
    expect(uploaded_bytes).toBe(300);
    expect([...server.files.values()].map((file) => file.bytes.length)).toEqual([5300]);
  });

  it('starts another experiment with --new and goes on with that one', async () => {
    const { server, host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 20 });
    const first = JSON.parse((await host.run(upload)).stdout);
    const second = JSON.parse((await host.run([...upload, '--new'])).stdout);
    const third = JSON.parse((await host.run(upload)).stdout);
    expect(second.experiment_id).not.toBe(first.experiment_id);
    expect(third.experiment_id).toBe(second.experiment_id);
    expect(server.experiments.size).toBe(2);
  });

  it('says that a remembered experiment is gone, and starts a new one', async () => {
    const { server, host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 20 });
    const first = JSON.parse((await host.run(upload)).stdout);
    server.experiments.delete(first.experiment_id);
    const { exitCode, stdout, stderr } = await host.run(upload);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`${first.experiment_id}, to which this directory was uploaded, does not exist any more. Starting a new one`);
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

  it('says how long it took until everything was visible, where somebody waited for it', async () => {
    const { host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 20 });
    expect((await host.run(['upload', '--logdir', 'logs', '--one-shot'])).stdout).toMatch(
      / are visible, \d+\.\d\d s after the last byte was acknowledged\./,
    );
    expect(JSON.parse((await host.run([...upload, '--no-wait'])).stdout)).not.toHaveProperty('visible_seconds');
  });

  it('counts the folders that it read, and the runs that there are to see', async () => {
    const { host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 20, 'a/tfevents.2': 20, 'nothing/tfevents.1': 0 });
    const { stdout } = await host.run(['upload', '--logdir', 'logs', '--one-shot']);
    expect(stdout).toContain('(3 files in 2 folders)');
    expect(stdout).toContain('0 blobs in 1 run are visible');
    expect(stdout).toContain('1 folder of 2 had no readable data and do not appear as runs.');
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

  it('names the record that is in quarantine and exits 1', async () => {
    const { host } = await setUp({
      problems: [{ run: 'a', file: 'tfevents.1', version: 1, offset: 40, reason: 'quarantined', detail: 'x' }],
    });
    writeLogs(host, { 'a/tfevents.1': 100 });
    const { exitCode, stdout, stderr } = await host.run(upload);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).damaged).toEqual([{ file: 'a/tfevents.1', offset: 40, reason: 'quarantined' }]);
    expect(stderr).toContain('a/tfevents.1: quarantined at byte 40');
  });

  it('names the bytes that the service has lost and exits 1', async () => {
    const { host } = await setUp({
      problems: [{ run: 'a', file: 'tfevents.1', version: 1, offset: 40, reason: 'stored-bytes-lost', detail: 'x' }],
    });
    writeLogs(host, { 'a/tfevents.1': 100 });
    const { exitCode, stdout, stderr } = await host.run(upload);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).damaged).toEqual([{ file: 'a/tfevents.1', offset: 40, reason: 'stored-bytes-lost' }]);
    expect(stderr).toContain('a/tfevents.1: stored-bytes-lost at byte 40');
  });

  it('makes a new version of a file that was replaced, and finds the old version again when it comes back', async () => {
    const { server, host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 5000 });
    const path = join(host.folder, 'logs/a/tfevents.1');
    await host.run(upload);
    renameSync(path, join(host.folder, 'old'));
    host.write('logs/a/tfevents.1', eventBytes(6000));
    const { stderr } = await host.run(upload);
    expect(stderr).toContain('differs from what was uploaded under its name: uploading it as version 2');
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

  it('compresses when asked to, with the same bytes at the other end', async () => {
    const { server, host } = await setUp();
    const bytes = eventBytes('training '.repeat(100_000));
    host.write('logs/a/tfevents.1', bytes);
    expect((await host.run([...upload, '--compress', 'zstd'])).exitCode).toBe(0);
    expect(server.contents()).toEqual({ 'a/tfevents.1': sha256(bytes) });
  });

  it('uploads the other files when one is refused, names it and exits 1', async () => {
    const { server, host } = await setUp({ fault: ({ method, path }) => (method === 'POST' && path === '/files/1/complete' ? 400 : null) });
    writeLogs(host, { 'a/tfevents.1': 20, 'b/tfevents.1': 20 });
    const { exitCode, stdout } = await host.run([...upload, '--connections', '1']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).failed).toHaveLength(1);
    expect([...server.files.values()].map((file) => file.completedBytes)).toEqual([null, 20]);
  });
});

describe('an upload over a bad line', () => {
  /** Faults from a seeded generator, so that a failure can be reproduced. */
  function faults(seed: number, share: number): FakeServerOptions['fault'] {
    let state = seed;
    const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
    const kinds: Fault[] = ['lose-response', 'lose-response', 'cut-request', 503, 429];
    return () => (next() < share ? (kinds[Math.floor(next() * kinds.length)] ?? null) : null);
  }

  it.each([1, 2, 3])(
    'ends with the same bytes, nothing doubled and nothing refused, when a third of the requests fail (seed %i)',
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

  it('costs one more request for each response that is lost', async () => {
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

  it('asks again for a new version without making two', async () => {
    let armed = false;
    const { server, host } = await setUp({
      fault: ({ method, path }) => (armed && method === 'POST' && path.endsWith('/files') ? 'lose-response' : null),
    });
    writeLogs(host, { 'a/tfevents.1': 5000 });
    await host.run(upload);
    host.write('logs/a/tfevents.1', eventBytes(6000));
    armed = true;
    setTimeout(() => (armed = false), 300);
    await host.run(upload);
    expect([...server.files.values()].map((file) => [file.version, file.bytes.length])).toEqual([
      [1, 5000],
      [2, 6000],
    ]);
  });

  it('goes on from kept ranges of an interrupted upload without sending them again', async () => {
    const { server, host } = await setUp();
    const bytes = eventBytes(1_000_000);
    host.write('logs/a/tfevents.1', bytes);
    const { experiment_id } = JSON.parse((await host.run(['upload', '--logdir', 'logs', '--one-shot', '--json'])).stdout);
    const file = [...server.files.values()][0]!;
    // As if only two ranges of a first attempt had arrived.
    Object.assign(file, { bytes: bytes.subarray(0, 100_000), completedBytes: null });
    file.segments.clear();
    file.segments.set(0, 100_000).set(300_000, 50_000);
    file.kept.set(300_000, bytes.subarray(300_000, 350_000));
    const { uploaded_bytes } = JSON.parse((await host.run([...upload, '--experiment', experiment_id])).stdout);
    expect(uploaded_bytes).toBe(850_000);
    expect(server.contents()).toEqual({ 'a/tfevents.1': sha256(bytes) });
    expect(server.conflicts).toBe(0);
  });

  it('does not take kept ranges of other content for its own', async () => {
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

  it('gives a file up when the server never keeps what it is sent, without making versions for ever', async () => {
    const { server, host } = await setUp({ fault: ({ method, path }) => (method === 'POST' && path.endsWith('/complete') ? 409 : null) });
    writeLogs(host, { 'a/tfevents.1': 1000 });
    const { exitCode, stdout } = await host.run(upload);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).failed).toHaveLength(1);
    expect(server.files.size).toBeLessThan(10);
  });

  it('keeps within the window of the server', async () => {
    const windowBytes = 1024 * 1024;
    const { server, host } = await setUp({ windowBytes });
    const wanted = writeLogs(host, { 'a/tfevents.1': 30 * 1024 * 1024 });
    expect((await host.run(upload)).exitCode).toBe(0);
    expect(server.contents()).toEqual(wanted);
  });
});

describe('an upload of which another machine sends the same files', () => {
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

  it('makes no version of a file that has grown since the scan, and of which more was sent than there was then', async () => {
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

  it('waits for a file of which it cannot see all yet, as through the cache of a shared file system', async () => {
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
      'a/tfevents.1 is shorter here than what was uploaded under its name: checking again for 20 s, in case another machine sees more of it.',
    );
    expect(two.server.contents()).toEqual({ 'a/tfevents.1': sha256(bytes) });
    expect(announced).toBe(3);
  });

  it('stops while it waits for that', async () => {
    const bytes = eventBytes(9000);
    const two = await setUpTwo(bytes.subarray(0, 5000), () => undefined);
    two.file.bytes = bytes;
    const running = two.again();
    await two.host.said(/is shorter here than/);
    two.host.interrupt();
    expect((await running).exitCode).toBe(130);
    expect(two.server.files.size).toBe(1);
  });

  it('goes on however often the other one is faster', async () => {
    const bytes = eventBytes(20_000);
    let sent = 5000;
    const two = await setUpTwo(bytes.subarray(0, 5000), ({ method }) => {
      if (method !== 'PATCH' || sent >= 15_000) return;
      // The requested bytes are already there, in other ranges; and the file has grown.
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
   * Two machines have uploaded the same file, and now have these in its place. Uploads on both at
   * once; returns what the server then has.
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

  it.each([6000, 20 * 1024 * 1024])('makes one version of a file of %i bytes that both see replaced at the same moment', async (size) => {
    const replaced = eventBytes(size);
    expect(await replaceOnBoth([replaced, replaced])).toEqual([sha256(replaced)]);
  });

  it('makes two versions of different files that take the place of one at the same moment, and mixes none of their bytes', async () => {
    const [one, another] = [eventBytes(20 * 1024 * 1024), eventBytes(18 * 1024 * 1024)];
    expect(await replaceOnBoth([one, another])).toEqual([sha256(one), sha256(another)].sort());
  });

  it('does so, too, where these files begin alike', async () => {
    const [one, another] = [eventBytes(20 * 1024 * 1024), eventBytes(18 * 1024 * 1024)];
    one.copy(another, 0, 0, 5000);
    expect(await replaceOnBoth([one, another])).toEqual([sha256(one), sha256(another)].sort());
  });

  it('leaves a new version to another file whose start was there first', async () => {
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

  it('sends nothing behind what another file brought between the two questions that it asks first', async () => {
    const mine = eventBytes(20_000);
    const begun = Buffer.concat([mine.subarray(0, 5000), eventBytes(4000)]);
    let isThere = false;
    const two = await setUpTwo(mine.subarray(0, 5000), ({ method }) => {
      if (method !== 'HEAD' || isThere) return;
      isThere = true;
      two.file.segments.set(5000, 4000);
      two.file.bytes = begun;
    });
    two.host.write('logs/a/tfevents.1', mine);
    expect((await two.again()).exitCode).toBe(0);
    expect(two.server.contents()).toEqual({ 'a/tfevents.1': sha256(begun), 'a/tfevents.1@2': sha256(mine) });
  });

  it('compares what is in a version that was made before it asked', async () => {
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

describe('what the CLI remembers', () => {
  it('is harmless when its file is cut at any byte', async () => {
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

  it('asks for the same experiment again when it ended between asking for one and hearing of it', async () => {
    let armed = true;
    const { server, host } = await setUp({
      fault: ({ method, path }) => (armed && method === 'POST' && path === '/experiments' ? 'lose-response' : null),
    });
    writeLogs(host, { 'a/tfevents.1': 50 });
    const running = host.run(upload);
    await host.said(/retrying/);
    host.interrupt();
    expect((await running).exitCode).toBe(130);
    armed = false;
    expect((await host.run(upload)).exitCode).toBe(0);
    expect(server.experiments.size).toBe(1);
  });
});

describe('a command line that is killed', () => {
  it('is continued by the next one, with the same end as if nothing had happened', async () => {
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
      // Killed after one request more each time, whenever that arrives.
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
  it('takes up what appears and grows, keeps what is deleted, says when a file is replaced, and stops on Ctrl-C (E.9)', async () => {
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
    await host.said(/gone\/tfevents\.1 was deleted here; what was uploaded is kept/);
    await until(() => sizes()['a@1'] === 150 && sizes()['late@1'] === 70);
    writeFileSync(join(logs, 'a/tfevents.1'), eventBytes(60));
    await host.said(/a\/tfevents\.1 is shorter than what was uploaded under its name: uploading it as version 2/);
    await until(() => sizes()['a@2'] === 60);
    writeFileSync(join(logs, 'late/tfevents.1'), eventBytes(90));
    await host.said(/late\/tfevents\.1 differs from/);
    await until(() => sizes()['late@2'] === 90);
    host.interrupt();
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('New run: late');
    expect(stderr).toContain('Run the same command again to continue');
    expect(sizes()).toEqual({ 'a@1': 150, 'a@2': 60, 'gone@1': 100, 'late@1': 70, 'late@2': 90 });
  });

  it('ends with 4 when the experiment is deleted meanwhile', async () => {
    const { server, host } = await setUp();
    writeLogs(host, { 'a/tfevents.1': 100 });
    const running = host.run(['upload', '--logdir', 'logs']);
    await host.said(/Everything is uploaded/);
    server.experiments.clear();
    appendFileSync(join(host.folder, 'logs/a/tfevents.1'), eventBytes(50));
    const { exitCode, stdout, stderr } = await running;
    expect(exitCode).toBe(4);
    expect(stdout).toContain('View your experiment at: http://fake/e/');
    expect(stderr).toContain('The experiment was deleted');
  });

  it('finishes what is on its way when interrupted', async () => {
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
