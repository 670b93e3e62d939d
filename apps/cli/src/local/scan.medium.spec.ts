import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeEventFile } from '#testing';
import { TestHost } from '../testing/test-host.ts';
import { Beginnings } from './beginnings.ts';
import { pathFilter } from './path-filter.ts';
import { scan } from './scan.ts';

let test: TestHost;
beforeEach(() => (test = new TestHost()));
afterEach(() => test.remove());

const all = pathFilter([], []);
const found = async (filter = all) => (await scan(join(test.folder, 'logs'), filter)).files.map((file) => `${file.run} ${file.name}`);
const link = (target: string, path: string) => {
  mkdirSync(join(test.folder, path, '..'), { recursive: true });
  symlinkSync(target, join(test.folder, path));
};

describe('scan', () => {
  it('finds the files whose names contain tfevents, at any depth, in byte order of their names (E.8)', async () => {
    for (const path of [
      'tfevents',
      'b/x.tfevents.y',
      'a/c/events.out.tfevents.2',
      'a/c/events.out.tfevents.10',
      'a/notes.txt',
      'ü/tfevents',
      'Z/tfevents',
    ])
      test.write(`logs/${path}`, '');
    test.write('logs/folder.tfevents/inner.tfevents', '');
    expect(await found()).toEqual([
      '. tfevents',
      'Z tfevents',
      'a/c events.out.tfevents.10',
      'a/c events.out.tfevents.2',
      'b x.tfevents.y',
      'folder.tfevents inner.tfevents',
      'ü tfevents',
    ]);
  });

  it('follows links to files and folders inside, so that a link and its target are both runs (E.10)', async () => {
    test.write('logs/real/tfevents', '');
    test.write('logs/more/tfevents.2', '');
    link('real', 'logs/linked');
    link('../more/tfevents.2', 'logs/real/tfevents.3');
    expect(await found()).toEqual(['linked tfevents', 'linked tfevents.3', 'more tfevents.2', 'real tfevents', 'real tfevents.3']);
  });

  it('follows links out of the log directory only on request, and lists those it did not follow', async () => {
    const events = writeEventFile([{ step: 1, scalars: { loss: 1 } }]);
    test.write('logs/real/tfevents', events);
    test.write('elsewhere/tfevents.2', events);
    test.write('logs-beside/tfevents', events);
    link('../elsewhere', 'logs/outside');
    link('../../elsewhere/tfevents.2', 'logs/real/tfevents.3');
    link(join(test.folder, 'logs-beside'), 'logs/beside');
    link('/etc/passwd', 'logs/real/tfevents.passwd');
    // A link to a target inside the log directory.
    link('deep/../../elsewhere/tfevents.2', 'logs/real/tfevents.4');
    link('real', 'logs/inside');
    link('..', 'logs/up');
    const result = await scan(join(test.folder, 'logs'), all);
    expect(result.files.map((file) => `${file.run} ${file.name}`)).toEqual(['inside tfevents', 'real tfevents']);
    const out = result.remarks.filter((remark) => remark.reason === 'link-outside').map((remark) => relative(test.folder, remark.path));
    expect(out.toSorted()).toEqual(
      [
        'logs/beside',
        'logs/inside/tfevents.3',
        'logs/inside/tfevents.passwd',
        'logs/outside',
        'logs/real/tfevents.3',
        'logs/real/tfevents.passwd',
        'logs/up',
      ].toSorted(),
    );
    const followed = await scan(join(test.folder, 'logs'), all, { followLinks: true });
    expect(followed.files.map((file) => `${file.run} ${file.name}`)).toEqual(
      expect.arrayContaining(['beside tfevents', 'outside tfevents.2', 'real tfevents.3']),
    );
  });

  it('skips files that are not event files, with a reason, and checks them again after a change', async () => {
    const events = writeEventFile([{ step: 1, scalars: { loss: 1 } }]);
    test.write('logs/a/tfevents', events);
    test.write('logs/a/empty.tfevents', '');
    test.write('logs/a/tfevents.md', '# Notes on event files\n');
    test.write('logs/a/tfevents.gz', gzipSync(events));
    const hole = test.write('logs/b/tfevents', Buffer.alloc(events.length));
    const short = test.write('logs/c/tfevents', events.subarray(0, 5));
    const beginnings = new Beginnings();
    const look = () => scan(join(test.folder, 'logs'), all, { beginnings });
    const first = await look();
    expect(first.files.map((file) => `${file.run} ${file.name}`)).toEqual(['a empty.tfevents', 'a tfevents']);
    expect(first.remarks.map(({ path, reason }) => [relative(test.folder, path), reason])).toEqual([
      ['logs/a/tfevents.gz', 'no-event-file'],
      ['logs/a/tfevents.md', 'no-event-file'],
      ['logs/b/tfevents', 'not-written-yet'],
      ['logs/c/tfevents', 'not-written-yet'],
    ]);
    writeFileSync(hole, events);
    writeFileSync(short, events);
    expect((await look()).files.map((file) => file.run)).toEqual(['a', 'a', 'b', 'c']);
    writeFileSync(short, 'no event file anymore'.repeat(9));
    expect((await look()).files.map((file) => file.run)).toEqual(['a', 'a', 'b']);
  });

  it('does not enter the folders of other tools, and names them', async () => {
    for (const path of [
      'a/tfevents',
      '__MACOSX/a/._tfevents',
      '.snapshot/hourly.0/a/tfevents',
      'wandb/run-20260101_000000-abc/files/tfevents',
      'a/plugins/profile/2026_01_01/host.xplane.pb',
      'mine/wandb/tfevents',
      'profile/tfevents',
      'a/projector_config.pbtxt',
    ])
      test.write(`logs/${path}`, '');
    const result = await scan(join(test.folder, 'logs'), all);
    expect(result.files.map((file) => file.run)).toEqual(['a', 'mine/wandb', 'profile']);
    expect(result.remarks.map(({ path, reason }) => `${relative(join(test.folder, 'logs'), path)} ${reason}`).toSorted()).toEqual([
      '.snapshot other-tool',
      '__MACOSX other-tool',
      'a/plugins/profile other-tool',
      'a/projector_config.pbtxt other-tool',
      'wandb other-tool',
    ]);
    // As the log directory itself, such a folder is an ordinary folder.
    expect((await scan(join(test.folder, 'logs/wandb'), all)).files).toHaveLength(1);
  });

  it('stops at every loop of links, and reports it (E.10)', async () => {
    test.write('logs/a/tfevents', '');
    link('..', 'logs/a/up');
    link('.', 'logs/a/self');
    link('a', 'logs/b');
    link('ping', 'logs/pong');
    link('pong', 'logs/ping');
    link('nowhere', 'logs/dangling');
    const result = await scan(join(test.folder, 'logs'), all);
    expect(result.files.map((file) => file.run)).toEqual(['a', 'b']);
    expect(result.remarks.filter((remark) => remark.reason === 'link-loop').length).toBeGreaterThanOrEqual(3);
  });

  it('stays bounded when many folders link to each other', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `run${i}`);
    for (const name of names) test.write(`logs/${name}/tfevents`, '');
    for (const from of names) for (const to of names) if (from !== to) link(`../${to}`, `logs/${from}/to-${to}`);
    const result = await scan(join(test.folder, 'logs'), all);
    expect(result.files.length).toBeLessThanOrEqual(2 * names.length);
    expect(new Set(result.files.map((file) => file.run)).size).toBe(result.files.length);
  });

  it('does not read excluded folders', async () => {
    test.write('logs/a/tfevents', '');
    test.write('logs/val/deep/tfevents', '');
    const result = await scan(join(test.folder, 'logs'), pathFilter([], ['val']));
    expect(result.files.map((file) => file.run)).toEqual(['a']);
    expect(result.folders).toBe(2);
  });

  it.skipIf(process.platform !== 'linux')('reports names that are not UTF-8', async () => {
    const folder = join(test.folder, 'logs');
    mkdirSync(folder, { recursive: true });
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/tfevents.`), Buffer.of(0xff)]), 'x');
    const result = await scan(folder, all);
    expect(result.files).toEqual([]);
    expect(result.remarks.map((remark) => remark.reason)).toEqual(['not-utf8']);
  });
});
