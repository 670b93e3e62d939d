import fc from 'fast-check';
import { expect, it } from 'vitest';
import { elideNames } from './elide-names.ts';

const short = (names: readonly string[], max: number) => [...elideNames(names, max).values()];

it('the common part of names is elided, wherever they differ', () => {
  const sweep = [1, 2].map((seed) => `experiments/resnet50/imagenet/lr=0.001,batch=256,seed=${seed}`);
  expect(short(sweep, 24)).toEqual(['experiment…h=256,seed=1', 'experiment…h=256,seed=2']);
  const inTheMiddle = ['adam', 'sgd'].map((name) => `a-long-prefix-of-all-runs/${name}/and-a-long-suffix-of-all-runs`);
  const [adam, sgd] = short(inTheMiddle, 24);
  expect([adam, sgd]).toEqual([expect.stringMatching(/adam…/), expect.stringMatching(/sgd…/)]);
  expect(short(['short', 'names'], 24)).toEqual(['short', 'names']);
  expect(short(['one name that is far too long to be shown whole'], 20)).toEqual(['one name t…own whole']);
});

it('names stay distinct and within the length', () => {
  const name = fc.array(fc.constantFrom('alpha', 'beta', '/', 'seed=1', 'seed=2', 'é', '🙂', 'a long part that many share'), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(
        name.map((parts) => parts.join('')),
        { minLength: 1, maxLength: 30 },
      ),
      fc.integer({ min: 8, max: 60 }),
      (names, max) => {
        const found = elideNames(names, max);
        for (const one of names) {
          expect(Array.from(found.get(one)!).length).toBeLessThanOrEqual(Math.max(max, 8));
          if (Array.from(one).length <= max) expect(found.get(one)).toBe(one);
        }
      },
    ),
  );
  // Sweeps with hundreds of runs that differ in one number somewhere
  const runs = Array.from(
    { length: 300 },
    (_, i) => `sweeps/2026/transformer-large/lr=${i % 3}e-4/width=${i % 10}/seed=${Math.floor(i / 30)}/final`,
  );
  expect(new Set(short(runs, 36)).size).toBe(300);
});
