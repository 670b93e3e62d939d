import { describe, expect, it } from 'vitest';
import { ageFaults, lockedVersions, readAges, writeAges } from './ages.ts';

const today = '2026-11-21';
const aged = (published: string, locked = today) => new Map([['a@1.0.0', { published, locked }]]);

describe('the age of what is installed', () => {
  it('is a week when it is taken up', () => {
    expect(ageFaults(['a@1.0.0'], aged('2026-11-14'), today)).toEqual([]);
    expect(ageFaults(['a@1.0.0'], aged('2026-11-15'), today)).toEqual(['a@1.0.0: public since 2026-11-15, taken up on 2026-11-21']);
  });

  it('is known of every version, and of no other', () => {
    expect(ageFaults(['a@1.0.0', 'b@2.0.0'], aged('2026-11-01'), today)).toEqual(['b@2.0.0: nobody looked when it became public']);
    expect(ageFaults([], aged('2026-11-01'), today)).toEqual(['a@1.0.0: not in the lock file any more']);
  });

  it('is not made up by a later day', () => {
    expect(ageFaults(['a@1.0.0'], aged('2026-11-20', '2026-12-01'), today)).toEqual([expect.stringContaining('not yet')]);
  });

  it('is written as it is read', () => {
    const ages = aged('2026-11-01');
    expect(readAges(writeAges(ages))).toEqual(ages);
    expect(() => readAges('a@1.0.0 yesterday')).toThrow(/not a line/);
  });
});

describe('the versions of a lock file', () => {
  it('are named once each, by their own name also under an alias', () => {
    const packages = {
      '': { version: '0.1.0' },
      'node_modules/@x/y': { version: '1.0.0' },
      'node_modules/a/node_modules/@x/y': { version: '1.0.0' },
      'node_modules/alias': { name: 'b', version: '2.0.0' },
    };
    expect(lockedVersions({ packages })).toEqual(['@x/y@1.0.0', 'b@2.0.0']);
  });
});
