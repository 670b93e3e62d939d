import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestHost } from '../testing/test-host.ts';
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
  it('finds the files whose names contain tfevents, at any depth, in the order of the bytes of their names (E.8)', async () => {
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

  it('follows links to files and folders, so that a link and its target are both runs (E.10)', async () => {
    test.write('logs/real/tfevents', '');
    test.write('elsewhere/tfevents.2', '');
    link('real', 'logs/linked');
    link('../elsewhere', 'logs/outside');
    link('../../elsewhere/tfevents.2', 'logs/real/tfevents.3');
    expect(await found()).toEqual(['linked tfevents', 'linked tfevents.3', 'outside tfevents.2', 'real tfevents', 'real tfevents.3']);
  });

  it('ends every loop of links, and says so (E.10)', async () => {
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

  it('does not blow up where many folders link to one another', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `run${i}`);
    for (const name of names) test.write(`logs/${name}/tfevents`, '');
    for (const from of names) for (const to of names) if (from !== to) link(`../${to}`, `logs/${from}/to-${to}`);
    const result = await scan(join(test.folder, 'logs'), all);
    expect(result.files.length).toBeLessThanOrEqual(2 * names.length);
    expect(new Set(result.files.map((file) => file.run)).size).toBe(result.files.length);
  });

  it('does not look into folders that are left out', async () => {
    test.write('logs/a/tfevents', '');
    test.write('logs/val/deep/tfevents', '');
    const result = await scan(join(test.folder, 'logs'), pathFilter([], ['val']));
    expect(result.files.map((file) => file.run)).toEqual(['a']);
    expect(result.folders).toBe(2);
  });

  it.skipIf(process.platform !== 'linux')('reports names that are not UTF-8, which nothing could be called', async () => {
    const folder = join(test.folder, 'logs');
    mkdirSync(folder, { recursive: true });
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/tfevents.`), Buffer.of(0xff)]), 'x');
    const result = await scan(folder, all);
    expect(result.files).toEqual([]);
    expect(result.remarks.map((remark) => remark.reason)).toEqual(['not-utf8']);
  });
});
