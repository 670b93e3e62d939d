import { join, relative, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safePart, safeRelativePath } from './safe-path.ts';

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

  it('maps different names to different paths', () => {
    fc.assert(
      fc.property(nasty, nasty, (a, b) => {
        fc.pre(a !== b && a.isWellFormed() && b.isWellFormed());
        expect(safeRelativePath(a)).not.toBe(safeRelativePath(b));
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
    ['%2E', '%252E'],
  ])('encodes %j', (name, path) => expect(safeRelativePath(name)).toBe(path));

  it('shortens names that are too long, and keeps them distinct', () => {
    const [a, b] = ['x'.repeat(5000), `${'x'.repeat(4999)}y`];
    expect(Buffer.byteLength(safePart(a))).toBeLessThanOrEqual(200);
    expect(safePart(a)).not.toBe(safePart(b));
  });
});
