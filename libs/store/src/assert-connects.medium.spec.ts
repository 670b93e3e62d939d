import { expect, it } from 'vitest';
import { createTestDatabase, describeWith } from '#testing';
import { Store } from './store.ts';

describeWith(['postgres'], 'connecting in every role', () => {
  it('says which role Postgres does not let in', async () => {
    const database = await createTestDatabase();
    const wrong = new URL(database.ingestUrl);
    wrong.password = 'wrong';
    const [good, bad] = [new Store(database), new Store({ ...database, ingestUrl: wrong.href })];
    try {
      await good.assertConnects();
      await expect(bad.assertConnects()).rejects.toMatchObject({ code: '28P01', message: expect.stringContaining('"plotline_ingest"') });
    } finally {
      await Promise.all([good.close(), bad.close()]);
      await database.drop();
    }
  });
});
