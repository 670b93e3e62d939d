import { describe, expect, it } from 'vitest';
import { placeOf, type ScalarBatch, type ScalarPlace } from './scalar-place.ts';

/** A batch from the run's last file, without STARTs. */
const live: ScalarBatch = { hasPoints: true, hasStarts: false, cutsStored: false, isApart: false, isLastOfLane: true };

const cases: readonly [what: string, batch: Partial<ScalarBatch>, place: ScalarPlace][] = [
  ['of a live run', {}, 'tail'],
  ['without scalars', { hasPoints: false }, 'nowhere'],
  ['without scalars, of an earlier file', { hasPoints: false, isLastOfLane: false }, 'nowhere'],
  ['of a file that others of its lane follow', { isLastOfLane: false }, 'chunks'],
  ['that affects other writers', { isApart: true }, 'chunks'],
  ['that makes an earlier START count', { cutsStored: true }, 'chunks'],
  ['without scalars that makes an earlier START count', { cutsStored: true, hasPoints: false }, 'chunks'],
  ['with the first START of the run', { hasStarts: true }, 'chunks after tail'],
  ['with a START that counts', { hasStarts: true, cutsStored: true }, 'chunks after tail'],
  ['with a START and no scalars', { hasStarts: true, hasPoints: false }, 'chunks after tail'],
];

describe('the scalars of a batch', () => {
  it.each(cases)('%s', (_, batch, place) => {
    expect(placeOf({ ...live, ...batch })).toBe(place);
  });

  it('go to the tail only if nothing can come between it and the chunks', () => {
    const flags = Object.keys(live) as (keyof ScalarBatch)[];
    const all: ScalarBatch[] = Array.from({ length: 2 ** flags.length }, (_, bits) => {
      const entries = flags.map((flag, index) => [flag, (bits & (1 << index)) > 0]);
      return Object.fromEntries(entries);
    });
    expect(all.filter((batch) => placeOf(batch) === 'tail')).toEqual([live]);
  });
});
