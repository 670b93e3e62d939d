import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeFiles } from './raw.ts';

const file = (run: string, name: string, version = 1) => ({
  fileId: '1',
  run,
  name,
  version,
  bytes: 0,
  crc32c: 0,
  contentCrc32c: 0,
  rewritten: false,
  complete: true,
  copyOf: null,
  replaced: false,
});
const paths = (...files: ReturnType<typeof file>[]) => placeFiles(files).map(({ path }) => path);

describe('placeFiles', () => {
  it('gives the latest version its own name and older ones a folder of their own', () => {
    expect(paths(file('a/b', 'tfevents', 2), file('a/b', 'tfevents', 1), file('.', 'tfevents'))).toEqual([
      'tfevents',
      '.older-versions/a/b/tfevents.v1',
      'a/b/tfevents',
    ]);
  });

  it('separates names that some file systems treat as the same', () => {
    const places = paths(
      file('Run', 'tfevents'),
      file('run', 'tfevents'),
      file('n\u00e4', 'tfevents'),
      file('na\u0308', 'tfevents'),
      file('a', 'tfevents.x'),
      file('a/tfevents.x', 'tfevents'),
    );
    expect(new Set(places.map((path) => path.normalize('NFC').toLowerCase())).size).toBe(6);
    expect(places.some((path) => places.some((other) => other.startsWith(`${path}/`)))).toBe(false);
  });

  it('reports the names that it had to encode', () => {
    expect(placeFiles([file('../../etc', 'tfevents'), file('a', 'tfevents')]).map(({ path, renamed }) => [path, renamed])).toEqual([
      ['%2E%2E/%2E%2E/etc/tfevents', true],
      ['a/tfevents', false],
    ]);
  });

  it('keeps the files of two runs with the same safe path in separate folders, and says why', () => {
    const places = placeFiles([file('..', 'tfevents'), file('%2E%2E', 'tfevents'), file('Run', 'tfevents'), file('run', 'tfevents')]);
    expect(places.map(({ path, renamed, reason }) => [path.replace(/[0-9a-f]{12}/, 'HASH'), renamed && reason])).toEqual([
      ['%2E%2E/tfevents', false],
      ['%2E%2E.HASH/tfevents', 'run-taken'],
      ['Run/tfevents', false],
      ['run/tfevents.HASH', 'path-taken'],
    ]);
  });

  it('gives every file its own path, below the folder', () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'A', 'con', '.older-versions', 'tfevents', 'tfevents.v1', '\0', '%');
    const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ run: name, name: part, version: fc.integer({ min: 1, max: 3 }) }), {
          selector: (f) => JSON.stringify(f),
          maxLength: 12,
        }),
        (files) => {
          const places = placeFiles(files.map((f) => file(f.run, f.name, f.version)));
          expect(places).toHaveLength(files.length);
          expect(new Set(places.map(({ path }) => path.toLowerCase())).size).toBe(files.length);
          for (const { path } of places)
            expect(path.split('/').every((segment) => segment !== '..' && segment !== '' && segment !== '.')).toBe(true);
        },
      ),
    );
  });
});
