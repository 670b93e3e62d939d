import { expect, it } from 'vitest';
import { SeriesWorld } from '#series/testing';
import { describeWith } from '#testing';
import { docExamples, exampleIn, libs, runExample } from './examples.ts';

const examples = [...libs.map(exampleIn), ...docExamples()].filter(({ needsStore }) => needsStore);

describeWith(['postgres'], 'an example that needs a database', () => {
  it('is found', () => expect(examples.length).toBeGreaterThan(3));

  it.each(examples)('$name works', async (example) => {
    const world = await SeriesWorld.make();
    try {
      const { store, tenantId, experimentId } = world;
      await expect(runExample(example, { store, tenantId, experimentId, world })).resolves.toBeUndefined();
    } finally {
      await world.close();
    }
  });
});
