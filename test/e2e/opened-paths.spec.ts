import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { frameRecord, frameRecords } from '#records/testing';
import { bytesField, doubleField, floatField, joinBytes, varintField } from '#testing';
import { hostileStrings, marker, textOf } from './hostile-strings.ts';
import { each } from './lanes.ts';
import { Sender } from './sender.ts';
import { processes, Service } from './service.ts';

/* Reliability test 54: regardless of received strings, processes open only their own paths. */

const root = resolve(import.meta.dirname, '../..');
const canTrace = await promisify(execFile)('strace', ['-f', '-o', '/dev/null', 'true']).then(
  () => true,
  () => false,
);
/** System calls with a path. */
const calls =
  'trace=open,openat,openat2,creat,stat,lstat,newfstatat,statx,access,faccessat,faccessat2,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,readlink,readlinkat,execve,chmod,truncate';

/** Node resolves links folder by folder, and looks for modules in all parent folders. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? ['/'] : [folder, ...foldersAbove(folder)];
}
const modules = [...foldersAbove(root), homedir()].flatMap((folder) =>
  ['node_modules', '.node_modules', '.node_libraries'].map((name) => join(folder, name)),
);

function event(step: number, tag: Uint8Array): Uint8Array {
  return joinBytes(
    doubleField(1, 1_700_000_000 + step),
    varintField(2, step),
    bytesField(5, bytesField(1, joinBytes(bytesField(1, tag), floatField(2, step)))),
  );
}

const hostileBytes: Readonly<Record<string, Uint8Array>> = {
  'a length of 2^63': frameRecord(Buffer.alloc(100), { length: 2n ** 63n }),
  'bytes of a path': Buffer.from('../../../../etc/passwd\0'.repeat(100)),
  'nested groups': frameRecord(Buffer.concat([Buffer.alloc(200_000, 0x5b), Buffer.alloc(200_000, 0x5c)])),
  'a million empty values': frameRecord(bytesField(5, Buffer.alloc(2_000_000, Uint8Array.of(0x0a, 0)))),
  cut: frameRecord(event(1, Buffer.from('tag'))).subarray(0, 20),
};

it.skipIf(!canTrace)(
  'no name, tag or body becomes a path, according to strace',
  async () => {
    const service = await Service.start();
    const folder = await mkdtemp(join(tmpdir(), 'plotline-e2e-paths-'));
    try {
      const trace = join(folder, 'trace');
      const strace = spawn(
        'strace',
        ['-f', '-s', '4096', '-e', calls, '-o', trace, ...service.pids.flatMap((pid) => ['-p', String(pid)])],
        {
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
      strace.stderr.setEncoding('utf8');
      while (!String((await once(strace.stderr, 'data'))[0]).includes('attached'));
      const sender = await Sender.start(service);
      await sender.send('run', frameRecords(hostileStrings.map((tag, step) => event(step, tag))));
      // Other hostile input (tests 43 to 46): wrong lengths, damage, nesting, and bodies that
      // decompress to more.
      for (const [run, bytes] of Object.entries(hostileBytes)) await sender.send(run, bytes);
      const { file_id: bombed } = await sender.announce('bomb');
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
      expect((await sender.append(bombed, 0, bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
      await sender.visible();
      await each(hostileStrings, async (string) => {
        const text = textOf(string);
        if (text === null) return;
        const body = JSON.stringify({ name: text.slice(0, 200), runs: [text], tags: [text] });
        for (const path of ['/experiments', `${sender.path}/scalars/query`, `${sender.path}/share-links`, '/tokens', '/service-accounts'])
          await (await service.fetch(path, { method: 'POST', body })).arrayBuffer();
        const address = encodeURIComponent(text);
        if (address.length > 8_000) return;
        for (const path of [
          `${sender.path}/series?tag=${address}`,
          `/experiments/${address}`,
          `/blobs/${address}`,
          `/files/${address}/content`,
        ])
          await (await service.fetch(path)).arrayBuffer();
      });
      const ended = once(strace, 'exit');
      strace.kill('SIGINT');
      await ended;
      const lines = (await readFile(trace, 'latin1')).split('\n');
      const paths = lines.flatMap((line) => Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, path]) => path!));
      expect(lines.filter((line) => line.includes(marker))).toEqual([]);
      const ours = [service.dataDir, root, '/proc/', '/sys/', '/dev/', '/etc/', '/usr/', '/lib', '/tmp/node-compile-cache'];
      const above = new Set([root, service.dataDir].flatMap(foldersAbove));
      const others = paths.filter(
        (path) => path.startsWith('/') && !above.has(path) && !modules.includes(path) && !ours.some((place) => path.startsWith(place)),
      );
      expect([...new Set(others)]).toEqual([]);
      // Shows that strace works: the service opens its own files during this time; separate
      // processes, which store no files, open system files.
      const opened = processes === 'apart' ? ours : [service.dataDir];
      expect(paths.some((path) => opened.some((place) => path.startsWith(place)))).toBe(true);
    } finally {
      await service.dispose();
      await rm(folder, { recursive: true, force: true });
    }
  },
  240_000,
);
