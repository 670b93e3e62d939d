import { join, relative, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeFolders, safePart, safeRelativePath } from './safe-path.ts';

const nasty = fc
  .array(fc.constantFrom('..', '.', '', '/', '\\', 'C:', 'con', 'NUL.txt', '\0', 'a', ' ', '%', '2E', '%2E', 'ü', '\ud800', '…'), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

describe('safeRelativePath', () => {
  it('never leaves the folder it is joined to', () => {
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), (name) => {
        const path = join('/out', safeRelativePath(name));
        expect(path.startsWith(`/out${sep}`)).toBe(true);
        expect(relative('/out', resolve(path)).split(sep)).not.toContain('..');
        // oxlint-disable-next-line no-control-regex -- NUL ends a path for the operating system
        expect(path).not.toMatch(/[\u0000\\:]/);
      }),
    );
  });

  it('does not change a path that is safe already', () => {
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string({ unit: 'binary', size: 'large' })), (name) => {
        const path = safeRelativePath(name);
        expect(safeRelativePath(path)).toBe(path);
      }),
    );
  });

  it('does not change ordinary names', () => {
    const name = 'seed 3 – final/näive run/events.out.tfevents.1700000000.host.100.0';
    expect(safeRelativePath(name)).toBe(name.split('/').join(sep));
  });

  it.each([
    ['..', '%2E%2E'],
    ['../../etc/passwd', ['%2E%2E', '%2E%2E', 'etc', 'passwd'].join(sep)],
    ['/etc', ['%', 'etc'].join(sep)],
    ['nul', '%6Eul'],
    ['COM1.log', '%43OM1.log'],
    ['a.', 'a%2E'],
    ['a\0b', 'a%00b'],
    ['C:\\x', 'C%3A%5Cx'],
    ['100%', '100%'],
    ['%2E%2E/up', ['%2E%2E', 'up'].join(sep)],
    ['a/%/b', ['a', '%', 'b'].join(sep)],
    ['tab%09x', 'tab%09x'],
  ])('encodes %j', (name, path) => expect(safeRelativePath(name)).toBe(path));

  it('shortens names that are too long, and keeps them distinct', () => {
    const [a, b] = ['x'.repeat(5000), `${'x'.repeat(4999)}y`];
    expect(Buffer.byteLength(safePart(a))).toBeLessThanOrEqual(200);
    expect(safePart(a)).not.toBe(safePart(b));
  });
});

describe('placeFolders', () => {
  const foldersOf = (runs: readonly string[]) => [...placeFolders(runs)].map(([run, { folder }]) => [run, folder] as const);

  it('gives each run its own folder, and each folder keeps its name from then on', () => {
    const long = fc.constantFrom(200, 201, 250, 300).map((length) => `${'x'.repeat(length - 1)}.`);
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(nasty, long, fc.string({ unit: 'binary' })), { maxLength: 12 }), (runs) => {
        const first = foldersOf(runs).map(([, folder]) => folder);
        expect(new Set(first).size).toBe(runs.length);
        expect(foldersOf(first).every(([run, folder]) => run === folder)).toBe(true);
      }),
    );
  });

  it('gives a run whose name is safe its own name, and another one a suffix, in any order', () => {
    const runs = ['..', '%2E%2E', "quote%22's", `quote"'s`, 'a//b', 'a/%/b', '.'];
    const placed = placeFolders(runs);
    expect(placeFolders(runs.toReversed())).toEqual(placed);
    for (const run of ['%2E%2E', "quote%22's", 'a/%/b', '.'])
      expect(placed.get(run)).toEqual({ folder: run.split('/').join(sep), isTaken: false });
    expect(placed.get('..')).toEqual({ folder: expect.stringMatching(/^%2E%2E\.[0-9a-f]{12}$/) as string, isTaken: true });
    expect(placed.get('a//b')!.folder).toMatch(/^a.%.b\.[0-9a-f]{12}$/);
  });

  it('shortens a long name for its suffix', () => {
    const long = 'x'.repeat(200);
    const [taken] = [...placeFolders([`${'x'.repeat(197)}:`, `${'x'.repeat(197)}%3A`]).values()].filter(({ isTaken }) => isTaken);
    expect(Buffer.byteLength(taken!.folder)).toBe(long.length);
  });
});
