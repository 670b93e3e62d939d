import { describe, expect, it } from 'vitest';
import { ageFaults, lockedVersions, readAges, writeAges } from './ages.ts';

const today = '2026-11-21';
const aged = (published: string, locked = today) => new Map([['a@1.0.0', { published, locked }]]);

describe('package ages', () => {
  it('each version is at least a week old when it is locked', () => {
    expect(ageFaults(['a@1.0.0'], aged('2026-11-14'), today)).toEqual([]);
    expect(ageFaults(['a@1.0.0'], aged('2026-11-15'), today)).toEqual(['a@1.0.0: public since 2026-11-15, taken up on 2026-11-21']);
  });

  it('all locked versions have an age, and no others do', () => {
    expect(ageFaults(['a@1.0.0', 'b@2.0.0'], aged('2026-11-01'), today)).toEqual(['b@2.0.0: nobody looked when it became public']);
    expect(ageFaults([], aged('2026-11-01'), today)).toEqual(['a@1.0.0: no longer in the lock file']);
  });

  it('a later check does not excuse a version that was too young', () => {
    expect(ageFaults(['a@1.0.0'], aged('2026-11-20', '2026-12-01'), today)).toEqual([expect.stringContaining('not yet')]);
  });

  it('reading and writing round-trip', () => {
    const ages = aged('2026-11-01');
    expect(readAges(writeAges(ages))).toEqual(ages);
    expect(() => readAges('a@1.0.0 yesterday')).toThrow(/not a line/);
  });
});

describe('versions of a lock file', () => {
  it('appear once each, under the real name also for an alias', () => {
    const packages = {
      '': { version: '0.1.0' },
      'node_modules/@x/y': { version: '1.0.0' },
      'node_modules/a/node_modules/@x/y': { version: '1.0.0' },
      'node_modules/alias': { name: 'b', version: '2.0.0' },
    };
    expect(lockedVersions({ packages })).toEqual(['@x/y@1.0.0', 'b@2.0.0']);
  });
});
