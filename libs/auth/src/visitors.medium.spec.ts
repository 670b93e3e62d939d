import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { experimentIdOf } from '#model/testing';
import {
  insertExperiment,
  insertReport,
  insertReportLink,
  insertShareLink,
  insertShareRoute,
  revokeReportLink,
  revokeShareLink,
  setReportExperiments,
  Store,
  updateExperiment,
} from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { randomBase62 } from './base62.ts';
import { nobody } from './caller.ts';
import { firstStart, type Owner } from './first-start.ts';
import { hashSecret, newSecret } from './token.ts';
import { Visitors } from './visitors.ts';

describeWith(['postgres'], 'visitors', () => {
  let database: TestDatabase;
  let store: Store;
  let owner: Owner;
  let visitors: Visitors;
  let now = 0;
  const experimentId = experimentIdOf(randomBase62(22));

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl });
    visitors = new Visitors(store, () => now);
    ({ owner } = await firstStart(store, { personName: 'Ada', workspaceName: 'Lab', tokenName: 'cli' }));
    await store.withTenant(owner.tenantId, (scope) =>
      insertExperiment(scope, { experimentId, name: '', description: '', ownerId: owner.personId, labels: [] }),
    );
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  it('may use a link until three seconds after it expires or is revoked', async () => {
    const { tenantId, personId } = owner;
    const [linkId, secret] = [randomUUID(), newSecret()];
    const view = { runs: ['a'], tags: null, anonymous: true, logs: false };
    await store.withTenant(tenantId, (scope) =>
      insertShareLink(scope, {
        linkId,
        kind: 'page',
        experimentId,
        sourceId: experimentId,
        name: '',
        madeBy: personId,
        ...view,
        origins: null,
        parameters: null,
        expiresAt: null,
      }),
    );
    expect(await visitors.byLink(secret)).toBeNull();
    now += 5_000;
    await insertShareRoute(store.global, { linkHash: hashSecret(secret), tenantId, linkId });
    const found = await visitors.byLink(secret);
    expect(found).toEqual({
      kind: 'page',
      experimentId,
      origins: [],
      parameters: null,
      expiresAt: null,
      caller: {
        tenantId,
        personId: nobody,
        via: 'share',
        program: false,
        role: 'viewer',
        scopes: new Set(['read']),
        experiments: new Set([experimentId]),
        view,
      },
    });
    await store.withTenant(tenantId, (scope) => revokeShareLink(scope, linkId));
    now += 2_999;
    expect(await visitors.byLink(secret)).toEqual(found);
    now += 1;
    expect(await visitors.byLink(secret)).toBeNull();
  });

  it('may use a link to a report, for its experiments that exist, until three seconds after it is revoked', async () => {
    const { tenantId, personId } = owner;
    const [reportId, linkId, secret] = [randomUUID(), randomUUID(), newSecret()];
    const absent = experimentIdOf(randomBase62(22));
    await store.withTenant(tenantId, async (scope) => {
      await insertReport(scope, { reportId, ownerId: personId, title: 'T', body: '', experiments: [absent] });
      await insertReportLink(scope, { linkId, reportId, name: '', madeBy: personId, anonymous: true, expiresAt: null });
    });
    await insertShareRoute(store.global, { linkHash: hashSecret(secret), tenantId, linkId });
    const visitor = {
      tenantId,
      personId: nobody,
      via: 'share',
      program: false,
      role: 'viewer',
      scopes: new Set(['read']),
      view: { runs: null, tags: null, anonymous: true, logs: false },
      reportId,
    };
    const link = { kind: 'report', reportId, expiresAt: null };
    expect(await visitors.byLink(secret)).toEqual({ ...link, caller: { ...visitor, experiments: new Set() } });
    await store.withTenant(tenantId, (scope) => setReportExperiments(scope, reportId, [absent, experimentId]));
    now += 3_000;
    expect(await visitors.byLink(secret)).toEqual({ ...link, caller: { ...visitor, experiments: new Set([experimentId]) } });
    await store.withTenant(tenantId, (scope) => revokeReportLink(scope, linkId));
    now += 2_999;
    expect(await visitors.byLink(secret)).not.toBeNull();
    now += 1;
    expect(await visitors.byLink(secret)).toBeNull();
  });

  it('read public experiments until three seconds after they become private', async () => {
    const { tenantId } = owner;
    const set = (visibility: 'public' | 'private') =>
      store.withTenant(tenantId, (scope) => updateExperiment(scope, experimentId, { visibility }));
    expect(await visitors.tenantOf(experimentId)).toBe(tenantId);
    expect(await visitors.byPublic(experimentId)).toBeNull();
    await set('public');
    now += 5_000;
    expect(await visitors.byPublic(experimentId)).toMatchObject({
      tenantId,
      via: 'public',
      view: { runs: null, tags: null, anonymous: false, logs: true },
    });
    await set('private');
    now += 5_000;
    expect(await visitors.byPublic(experimentId)).toBeNull();
  });

  it('cause the same queries for missing and for private experiments, so that timing reveals nothing', async () => {
    const { tenantId, personId } = owner;
    const hidden = experimentIdOf(randomBase62(22));
    await store.withTenant(tenantId, (scope) =>
      insertExperiment(scope, { experimentId: hidden, name: '', description: '', ownerId: personId, labels: [] }),
    );
    const asked: string[] = [];
    const counting = {
      get global() {
        asked.push('global');
        return store.global;
      },
      withTenant: (...args: Parameters<Store['withTenant']>) => {
        asked.push('tenant');
        return store.withTenant(...args);
      },
    } as unknown as Store;
    for (const id of [hidden, randomBase62(22)]) {
      expect(await new Visitors(counting).byPublic(id)).toBeNull();
      expect(asked.splice(0)).toEqual(['global', 'tenant']);
    }
  });

  it('cause no query with a text that cannot be a secret or an id', async () => {
    const unreachable = new Visitors({
      get global(): never {
        throw new Error('asked the database');
      },
    } as unknown as Store);
    for (const text of ['', 'x', '0'.repeat(29), `${'0'.repeat(30)}\n`, '../../etc/passwd', "' or 1=1 --"]) {
      expect(await unreachable.byLink(text)).toBeNull();
      expect(await unreachable.byPublic(text)).toBeNull();
    }
    await expect(unreachable.byLink('0'.repeat(30))).rejects.toThrow('asked the database');
  });
});
