import { afterEach, describe, expect, it } from 'vitest';
import { writeEventFile } from '#testing';
import { FakeServer } from '../testing/fake-server.ts';
import { TestHost } from '../testing/test-host.ts';
import { WatchedFolder } from '../testing/watched-folder.ts';

const experiment = 'E'.repeat(22);
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function watch() {
  const server = new FakeServer({ token: 'secret' });
  const host = new TestHost({ PLOTLINE_SERVER: await server.start(), PLOTLINE_TOKEN: 'secret' });
  server.experiments.set(experiment, { id: experiment, name: '', description: '', epoch: 0 });
  const logs = new WatchedFolder(host, experiment);
  cleanUps.push(
    () => server.stop(),
    () => host.remove(),
    () => logs.close(),
  );
  return { server, host, logs };
}

const name = 'events.out.tfevents.1700000000.host.1.0';
const made = new Map<string, Buffer>();
/** An event file with steps 0 … n − 1; a shorter file is a prefix of a longer file. */
function steps(n: number, startedAt = 1_700_000_000): Buffer {
  const known = made.get(`${n} ${startedAt}`);
  if (known) return Buffer.from(known);
  const events = Array.from({ length: n }, (_, step) => ({ step, wallTime: startedAt + step, scalars: { loss: Math.sin(step) } }));
  const bytes = Buffer.from(writeEventFile([{ fileVersion: 'brain.Event:2', wallTime: startedAt }, ...events]));
  made.set(`${n} ${startedAt}`, bytes);
  return Buffer.from(bytes);
}
const all = steps(6000);
/** The server's content: name and version to bytes. */
const held = (server: FakeServer) =>
  Object.fromEntries([...server.files.values()].map((file) => [`${file.name}${file.version > 1 ? `@${file.version}` : ''}`, file.bytes]));
/** Compares quickly, and shows lengths when it fails. */
function expectHeld(server: FakeServer, wanted: Record<string, Buffer>) {
  const now = held(server);
  const lengths = (files: Record<string, Buffer>) => Object.fromEntries(Object.entries(files).map(([key, bytes]) => [key, bytes.length]));
  expect(lengths(now)).toEqual(lengths(wanted));
  for (const [key, bytes] of Object.entries(wanted)) expect(now[key]?.equals(bytes), key).toBe(true);
}

describe('a folder in which tools write temporary files and rename them', () => {
  it.each([`${name}.5C6dABbe`, `.${name}.Ab3xYz`, `${name}_.gstmp`, `${name}.partial`, `.syncthing.${name}.tmp`])(
    'becomes one log, in any state of a download to %s',
    async (temporary) => {
      const { server, logs } = await watch();
      for (const part of [0.3, 0.5, 0.7, 0.9, 1]) {
        const now = all.subarray(0, Math.floor(all.length * part));
        logs.write(temporary, now.subarray(0, Math.floor(now.length / 2)));
        await logs.look(3);
        logs.write(temporary, now);
        await logs.look(2);
        logs.rename(temporary, name);
        await logs.look(4);
        expectHeld(server, { [name]: now });
      }
      expect(server.receivedBytes).toBe(all.length);
      expect(logs.lines.filter((line) => line.includes('version'))).toEqual([]);
    },
  );

  it.each([`${name}.bak`, `${name} (1)`, `${name}~`, `${name}.v2`, `copy.${name}`])(
    'is uploaded without an older copy of a log, regardless of its name: %s',
    async (copy) => {
      const { server, logs } = await watch();
      logs.write(name, all.subarray(0, 100_000));
      logs.write(copy, all.subarray(0, 50_000));
      await logs.look();
      logs.write(name, all);
      await logs.look(100);
      expectHeld(server, { [name]: all });
      expect(logs.lines).toContain(`${copy} is a copy of the beginning of ${name}; not uploaded.`);
    },
  );

  it('uploads a log with the name of a temporary file after half a minute of rest, and says why it waits', async () => {
    const { server, logs } = await watch();
    logs.write(`${name}.part`, all);
    await logs.look(30);
    expect(held(server)).toEqual({});
    expect(logs.lines.join('\n')).toMatch(/\.part is named like a temporary file of a browser or a download: it is uploaded after/);
    await logs.look(3);
    expectHeld(server, { [`${name}.part`]: all });
    logs.write(`${name}.part`, steps(7000));
    await logs.look(4);
    expectHeld(server, { [`${name}.part`]: steps(7000) });
  });

  it('forgets a temporary file that vanishes', async () => {
    const { server, logs } = await watch();
    logs.write(name, all);
    logs.write(`${name}.5C6dABbe`, all.subarray(0, 1000));
    await logs.look(2);
    logs.remove(`${name}.5C6dABbe`);
    await logs.look(40);
    expectHeld(server, { [name]: all });
    expect(logs.uploader.failed.size).toBe(0);
  });

  it('is complete according to verify, with local copies and with copies that only the service has', async () => {
    const { server, host, logs } = await watch();
    const temporary = `${name}.5C6dABbe`;
    logs.write(temporary, all.subarray(0, 100_000));
    await logs.look(35);
    logs.write(name, all);
    logs.write(`${name}.bak`, all.subarray(0, 50_000));
    logs.remove(temporary);
    await logs.look(3);
    expectHeld(server, { [temporary]: all.subarray(0, 100_000), [name]: all });
    const { differences } = JSON.parse((await host.run(['verify', experiment, '--logdir', 'logs', '--json'])).stdout);
    expect(differences.filter(({ what }: { what: string }) => what.startsWith('missing'))).toEqual([]);
  });

  it('keeps two logs that start with the same bytes', async () => {
    const { server, logs } = await watch();
    const other = Buffer.concat([all.subarray(0, 100_000), steps(10)]);
    logs.write(name, all);
    logs.write('events.out.tfevents.1700000000.host.2.0', other);
    await logs.look(2);
    expectHeld(server, { [name]: all, 'events.out.tfevents.1700000000.host.2.0': other });
  });
});

describe('a log that is overwritten in place', () => {
  it('gets no new version, and no byte is stored again', async () => {
    const { server, logs } = await watch();
    for (let part = 1; part <= 10; part++) {
      const now = all.subarray(0, Math.floor((all.length * part) / 10));
      // A scan during the copy may see no files, some, or all.
      for (const seen of [0, 0.01, 0.4, 0.95, 1]) {
        logs.write(name, now.subarray(0, Math.floor(now.length * seen)));
        await logs.look();
      }
      await logs.look(3);
      expectHeld(server, { [name]: now });
    }
    expect(server.receivedBytes).toBe(all.length);
  });

  it('is a new version at once if it starts differently', async () => {
    const { server, logs } = await watch();
    logs.write(name, all);
    await logs.look(2);
    const again = steps(100, 1_700_009_999);
    logs.write(name, again);
    await logs.look(2);
    expectHeld(server, { [name]: all, [`${name}@2`]: again });
  });

  it('is a new version once it stays shorter', async () => {
    const { server, logs } = await watch();
    logs.write(name, all);
    await logs.look(2);
    logs.write(name, all.subarray(0, 1000));
    await logs.look(10);
    expectHeld(server, { [name]: all });
    await logs.look(15);
    expectHeld(server, { [name]: all, [`${name}@2`]: all.subarray(0, 1000) });
  });
});

describe('bytes that change after the upload', () => {
  /** The file as another machine may see it: with zeros from `start` to `end`. */
  const withHole = (bytes: Buffer, start: number, end: number) => Buffer.from(bytes).fill(0, start, end);

  it('are not sent while they are a hole that is filled a moment later', async () => {
    const { server, logs } = await watch();
    let now = steps(20_000);
    logs.write(name, withHole(now, 300_000, 365_536));
    await logs.look(3);
    expect(held(server)[name]!.length).toBeLessThanOrEqual(300_000);
    for (const more of [20_100, 20_200]) {
      now = steps(more);
      logs.write(name, now);
      await logs.look(4);
    }
    expectHeld(server, { [name]: now });
    expect(server.receivedBytes).toBe(now.length);
  });

  it('are sent in a new version when a hole is filled late and the file has grown', async () => {
    const { server, logs } = await watch();
    logs.write(name, withHole(steps(20_000), 300_000, 365_536));
    await logs.look(20);
    logs.write(name, withHole(steps(20_100), 300_000, 365_536));
    await logs.look(20);
    expectHeld(server, { [name]: withHole(steps(20_100), 300_000, 365_536) });
    logs.write(name, steps(20_200));
    await logs.look(6);
    expect(held(server)[`${name}@2`]?.equals(steps(20_200))).toBe(true);
  });

  it('are sent in a new version when a hole is filled without any other sign', async () => {
    const { server, logs } = await watch();
    logs.write(name, withHole(all, 8192, 12_288));
    await logs.look(20);
    logs.changeUnseen(name, all);
    await logs.look(3);
    expect(held(server)[`${name}@2`]?.equals(all)).toBe(true);
  });

  it('are detected after a while in the middle of a file, without any other sign', async () => {
    const { server, logs } = await watch();
    const long = steps(20_000);
    logs.write(name, long);
    await logs.look(3);
    const changed = Buffer.from(long);
    changed[500_000]! ^= 1;
    logs.changeUnseen(name, changed);
    await logs.look(10);
    expect(held(server)[`${name}@2`]?.equals(changed)).toBe(true);
  });

  it('are detected soon after the service reports damage in the file', async () => {
    const { server, logs } = await watch();
    for (let i = 0; i < 40; i++) logs.write(`run-${i}/${name}`, steps(2, 1_700_000_100 + i));
    const long = steps(20_000);
    logs.write(name, long);
    await logs.look(3);
    const changed = Buffer.from(long);
    changed[500_000]! ^= 1;
    logs.changeUnseen(name, changed);
    const damaged = [...server.files.values()].find((file) => file.bytes.length === long.length)!;
    server.damage = [{ file_id: damaged.id, offset: 499_990, reason: 'data-checksum' }];
    await logs.look(20);
    expect([...server.files.values()].find((file) => file.version === 2)?.bytes.equals(changed)).toBe(true);
    // Reporting the same damage again does not trigger another check.
    const files = server.files.size;
    await logs.look(20);
    expect(server.files.size).toBe(files);
  });

  it('are detected in the middle of a growing file, before it is complete', async () => {
    const { server, logs } = await watch();
    logs.write(name, steps(30_000));
    await logs.look(3);
    const changed = steps(30_100);
    changed[400_000]! ^= 1;
    logs.write(name, changed);
    await logs.look(15);
    expect(held(server)[`${name}@2`]?.equals(changed)).toBe(true);
  });

  it('are not sent from preallocated space until they are written', async () => {
    const { server, logs } = await watch();
    for (const part of [0.2, 0.5, 0.8, 1]) {
      const end = Math.floor(all.length * part);
      logs.write(name, Buffer.concat([all.subarray(0, end), Buffer.alloc(1_000_000 - end)]));
      await logs.look(4);
    }
    const [file] = server.files.values();
    expect([file!.version, server.files.size]).toEqual([1, 1]);
    expect(all.subarray(0, file!.bytes.length).equals(file!.bytes)).toBe(true);
    expect(file!.bytes.length).toBeGreaterThan(all.length - 8);
  });

  it('are sent as zeros, after a moment, if the zeros are content', async () => {
    const { server, logs } = await watch();
    const zeros = withHole(all, 8192, 16_384);
    logs.write(name, zeros);
    await logs.look(14);
    expectHeld(server, { [name]: zeros });
  });
});

describe('a file that is unreadable for a while', () => {
  it.each([
    ['starts with zeros', () => Buffer.alloc(all.length)],
    ['is not an event file', () => Buffer.from('<html>'.padEnd(all.length, ' '))],
  ])('is not reported as deleted when it %s, and continues', async (_, unreadable) => {
    const { server, logs } = await watch();
    const part = all.subarray(0, 40_000);
    logs.write(name, part);
    await logs.look(3);
    logs.write(name, unreadable());
    await logs.look(3);
    logs.write(name, all);
    await logs.look(3);
    expectHeld(server, { [name]: all });
    expect(logs.lines.join('\n')).not.toContain('deleted');
    logs.remove(name);
    await logs.look();
    expect(logs.lines.join('\n')).toContain('deleted');
  });
});
