import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { readSigningKeys, Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { type AccessJwt, AccessJwtIssuer, AccessJwtReader } from './access-jwt.ts';
import { OwnKeys } from './own-keys.ts';
import { SigningKeys } from './signing-keys.ts';

const url = 'https://plots.example';
const secret = 'a secret of a test, and of nothing else';
const jwt: AccessJwt = {
  tenantId: tenantIdOf(randomUUID()),
  personId: randomUUID(),
  grant: { kind: 'token', id: randomUUID() },
  scopes: ['read'],
};

describeWith(['postgres'], "the service's own signing keys", () => {
  let database: TestDatabase;
  let store: Store;
  let admin: pg.Client;
  let now = 0;
  const clock = () => now;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl });
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  beforeEach(() => admin.query('delete from signing_key'));
  afterAll(async () => {
    await admin?.end();
    await store?.close();
    await database?.drop();
  });

  const keyIds = async () =>
    (await admin.query('select key_id from signing_key order by signs_from')).rows.map((row) => String(row.key_id));
  const sign = async (keys: SigningKeys) => (await new AccessJwtIssuer(url, keys, store.clock).sign(jwt)).token;
  /** Ages the stored keys. */
  const age = async (days: number) => {
    const { rows } = await admin.query<{ key_id: string; signs_from: Date }>('select key_id, signs_from from signing_key');
    for (const { key_id: keyId, signs_from: from } of rows)
      await admin.query('update signing_key set signs_from = $2 where key_id = $1', [keyId, new Date(from.getTime() - days * 86_400_000)]);
  };

  it('are created once when many processes start at the same moment', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => new SigningKeys(store, secret).current()));
    expect(new Set(made.map(({ keyId }) => keyId)).size).toBe(1);
    expect(await keyIds()).toHaveLength(1);
  });

  it('sign at once, even in a process whose transaction started before the key existed', async () => {
    await store.global.transaction().execute(async (before) => {
      const { keyId } = await new SigningKeys(store, secret).current();
      const [seen] = await readSigningKeys(before);
      expect(seen).toMatchObject({ keyId });
      expect(seen!.signsForSeconds).toBeGreaterThanOrEqual(0);
    });
  });

  it('rotate: the next key is published before it signs, and the old key goes after its last JWT expires', async () => {
    const keys = new SigningKeys(store, secret, clock);
    const reader = new AccessJwtReader(url, new OwnKeys(store, clock), store.clock);
    const first = await keys.current();
    const before = await sign(keys);
    expect(await reader.read(before)).toEqual(jwt);

    await age(31);
    now += 60_000;
    expect((await keys.current()).keyId).toBe(first.keyId);
    const [, second] = await keyIds();
    expect(await new OwnKeys(store).jwks()).toMatchObject({ keys: expect.arrayContaining([expect.objectContaining({ kid: second })]) });

    await age(1 / 24 / 6); // ten minutes on
    now += 60_000;
    expect((await keys.current()).keyId).toBe(second);
    expect(await reader.read(await sign(keys))).toEqual(jwt);
    expect(await reader.read(before)).toEqual(jwt);

    await age(1 / 12); // two hours on
    now += 60_000;
    expect((await keys.current()).keyId).toBe(second);
    expect(await keyIds()).toEqual([second]);
    expect(await reader.read(before)).toEqual(null);
    expect(await reader.read(await sign(keys))).toEqual(jwt);
  });

  it('are rejected a minute after they were withdrawn', async () => {
    const keys = new SigningKeys(store, secret, clock);
    const reader = new AccessJwtReader(url, new OwnKeys(store, clock), store.clock);
    const token = await sign(keys);
    expect(await reader.read(token)).toEqual(jwt);
    await admin.query('delete from signing_key');
    now += 60_000;
    expect(await reader.read(token)).toBeNull();
    expect(await reader.read(await sign(keys))).toEqual(jwt); // a new one was created, and its earlier absence is not cached
  });

  it('of another secret do not sign, and still verify', async () => {
    const other = new SigningKeys(store, `${secret}, but another one`);
    const theirs = await other.current();
    const keys = new SigningKeys(store, secret);
    const ours = await keys.current();
    expect(ours.keyId).not.toBe(theirs.keyId);
    expect((await new SigningKeys(store, `${secret}, but another one`).current()).keyId).toBe(theirs.keyId);
    const reader = new AccessJwtReader(url, new OwnKeys(store), store.clock);
    for (const signer of [keys, other]) expect(await reader.read(await sign(signer))).toEqual(jwt);
  });

  it('after a change of the secret in its file, the next one is sealed with the new secret', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plotline-secret-'));
    try {
      const file = join(folder, 'secret-key');
      const other = `${secret}, but another one`;
      await writeFile(file, secret);
      const keys = new SigningKeys(store, { file, atStart: secret }, clock);
      const reader = new AccessJwtReader(url, new OwnKeys(store, clock), store.clock);
      const first = await keys.current();
      await writeFile(file, `${other}\n`);
      now += 60_000;
      await expect
        .poll(
          async () => {
            now += 60_000;
            await keys.current();
            return (await keyIds()).length;
          },
          { timeout: 10_000 },
        )
        .toBe(2);
      expect((await keys.current()).keyId).toBe(first.keyId); // the next one is published first
      await age(1 / 24 / 6); // ten minutes on
      now += 60_000;
      const second = await keys.current();
      expect(second.keyId).not.toBe(first.keyId);
      expect((await new SigningKeys(store, other).current()).keyId).toBe(second.keyId);
      expect(await keyIds()).toHaveLength(2);
      expect(await reader.read(await sign(keys))).toEqual(jwt);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('do not sign for another address', async () => {
    const token = await sign(new SigningKeys(store, secret));
    expect(await new AccessJwtReader('https://others.example', new OwnKeys(store), store.clock).read(token)).toBeNull();
  });
});
