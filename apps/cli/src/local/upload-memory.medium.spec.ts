import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { experimentIdOf } from '#model/testing';
import { TestHost } from '../testing/test-host.ts';
import { UploadMemory } from './upload-memory.ts';

let test: TestHost;
beforeEach(() => (test = new TestHost()));
afterEach(() => test.remove());

const id = experimentIdOf('A'.repeat(22));
const memory = (server = 'https://a.example', directory = '/logs') => new UploadMemory(join(test.folder, 'uploads'), server, directory);

describe('UploadMemory', () => {
  it('remembers one experiment for each server and directory', () => {
    memory().remember(id);
    memory('https://b.example').remember(experimentIdOf('B'.repeat(22)));
    expect(memory().recall()).toEqual({ kind: 'experiment', id });
    expect(memory('https://a.example', '/other').recall()).toBeNull();
    memory().remember(experimentIdOf('C'.repeat(22)));
    expect(memory().recall()).toEqual({ kind: 'experiment', id: 'C'.repeat(22) });
    expect(readdirSync(join(test.folder, 'uploads'))).toHaveLength(2);
  });

  it('remembers that a creation started, until its experiment is known', () => {
    const key = memory().beginCreating();
    expect(memory().recall()).toEqual({ kind: 'creating', key });
    memory().remember(id);
    expect(memory().recall()).toEqual({ kind: 'experiment', id });
  });

  it('uses the highest number if a crash left an older entry', () => {
    memory().remember(id);
    const [first] = readdirSync(join(test.folder, 'uploads')) as [string];
    memory().remember(experimentIdOf('D'.repeat(22)));
    test.write(join('uploads', first), '');
    expect(memory().recall()).toEqual({ kind: 'experiment', id: 'D'.repeat(22) });
  });

  it.each([
    ['is below /proc', '/proc/plotline/state'],
    ['is below a file', 'a-file/state'],
    ['is a device', '/dev/null/state'],
  ])('keeps its state in memory, and warns once, if the folder %s', (_, folder) => {
    test.write('a-file', 'x');
    const warnings: (string | undefined)[] = [];
    const own = new UploadMemory(resolve(test.folder, folder), 'https://a.example', '/logs', ({ code }) => warnings.push(code));
    expect(own.recall()).toBeNull();
    const key = own.beginCreating();
    expect(own.recall()).toEqual({ kind: 'creating', key });
    own.remember(id);
    own.remember(experimentIdOf('B'.repeat(22)));
    expect(own.recall()).toEqual({ kind: 'experiment', id: 'B'.repeat(22) });
    expect(warnings).toHaveLength(1);
    own.forget();
    expect(own.recall()).toBeNull();
  });

  it('ignores files that it did not write', () => {
    test.write('uploads/notes.txt', 'x');
    test.write('uploads/.tmp', 'x');
    expect(memory().recall()).toBeNull();
  });
});
