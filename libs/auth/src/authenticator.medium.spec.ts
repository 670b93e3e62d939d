import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { Authenticator } from './authenticator.ts';
import { decideDevice, redeemDevice, startDevice, usualDeviceLimits } from './device.ts';
import { AccessJwtIssuer, AccessJwtReader } from './jwt/access-jwt.ts';
import { OwnKeys } from './jwt/own-keys.ts';
import { SigningKeys } from './jwt/signing-keys.ts';
import { TokenExchange } from './jwt/token-exchange.ts';
import { WorkloadIssuers } from './jwt/workload-issuers.ts';
import { findOwner, firstStart, type Owner } from './first-start.ts';
import { endSessionsOf } from './sessions.ts';
import { createSignInLink, signIn } from './sign-in.ts';
import { ownerOf } from './testing/index.ts';
import { newToken } from './token.ts';
import { createToken, createTokenWithId } from './tokens.ts';

describeWith(['postgres'], 'tokens, links and sessions', () => {
  let database: TestDatabase;
  let store: Store;
  let owner: Owner;
  let now = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl });
    ({ owner } = await firstStart(store, { personName: 'Ada', workspaceName: 'Lab', tokenName: 'cli' }));
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  const asAdmin = async (sql: string) => {
    const client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    await client.end();
    return rows;
  };

  it('creates the owner once, and finds it again', async () => {
    expect(await firstStart(store, { personName: 'Bob', workspaceName: 'Other', tokenName: 'cli' })).toEqual({ owner, token: null });
    expect(await findOwner(store)).toEqual(owner);
    expect(await asAdmin('select count(*)::int as workspaces from workspace')).toEqual([{ workspaces: 1 }]);
  });

  it('stores no secret: the database contains no token, link or cookie', async () => {
    const token = await createToken(store, { ...owner, name: 'search me' });
    const link = await createSignInLink(store, owner);
    const session = await signIn(store, await createSignInLink(store, owner));
    for (const table of ['access_token', 'token_route', 'sign_in_link', 'browser_session', 'person', 'workspace', 'workspace_member']) {
      const everything = JSON.stringify(await asAdmin(`select t::text from ${table} t`));
      for (const secret of [token, link, session!.secret]) {
        expect(everything).not.toContain(secret);
        expect(everything).not.toContain(Buffer.from(secret).toString('hex'));
      }
    }
  });

  it('rejects a wrong checksum without a query', async () => {
    const unreachable = new Authenticator({
      get global(): never {
        throw new Error('asked the database');
      },
    } as unknown as Store);
    expect(await unreachable.byToken(`plt_${'0'.repeat(36)}`)).toBeNull();
    await expect(unreachable.byToken(newToken())).rejects.toThrow('asked the database');
  });

  it('rejects a revoked token, and the token of a removed member, within five seconds', async () => {
    const authenticator = new Authenticator(store, { now: () => now });
    const { token, tokenId } = await createTokenWithId(store, { ...owner, name: 'soon revoked' });
    const caller = ownerOf(owner, { tokenId });
    expect(await authenticator.byToken(token)).toEqual(caller);
    await asAdmin(`update access_token set revoked_at = now() where name = 'soon revoked'`);
    now += 2_999;
    expect(await authenticator.byToken(token)).toEqual(caller);
    now += 1;
    expect(await authenticator.byToken(token)).toBeNull();
    await asAdmin(`update access_token set revoked_at = null where name = 'soon revoked'`);
    await asAdmin(`update workspace_member set role = 'viewer'`);
    now += 5_000;
    expect(await authenticator.byToken(token)).toEqual({ ...caller, role: 'viewer' });
    await asAdmin('delete from workspace_member');
    now += 5_000;
    expect(await authenticator.byToken(token)).toBeNull();
    await asAdmin(`insert into workspace_member (tenant_id, person_id, role) values ('${owner.tenantId}', '${owner.personId}', 'owner')`);
  });

  it('accepts a JWT only while the token behind it is valid', async () => {
    const url = 'https://plots.example';
    const keys = new SigningKeys(store, 'a secret of a test, and of nothing else');
    const jwts = new AccessJwtReader(url, new OwnKeys(store), store.clock);
    const authenticator = new Authenticator(store, { now: () => now, jwts });
    const exchange = new TokenExchange(store, new AccessJwtIssuer(url, keys, store.clock), new WorkloadIssuers([], store.clock));
    const { token, tokenId } = await createTokenWithId(store, { ...owner, name: 'exchanged' });
    const { token: jwt } = await exchange.fromAccessToken(token, ['read', 'admin']);
    const caller = ownerOf(owner, { via: 'jwt', tokenId, scopes: new Set(['read', 'admin']) });
    expect(await authenticator.byToken(jwt)).toEqual(caller);
    expect(await new Authenticator(store).byToken(jwt)).toBeNull();

    await asAdmin(`update access_token set scopes = '{read,upload}' where token_id = '${tokenId}'`);
    now += 3_000;
    expect(await authenticator.byToken(jwt)).toEqual({ ...caller, scopes: new Set(['read']) });
    await asAdmin(`update workspace_member set role = 'viewer'`);
    now += 3_000;
    expect(await authenticator.byToken(jwt)).toMatchObject({ role: 'viewer' });
    await asAdmin(`update workspace_member set role = 'owner'`);
    await asAdmin(`update access_token set revoked_at = now() where token_id = '${tokenId}'`);
    now += 3_000;
    expect(await authenticator.byToken(jwt)).toBeNull();
    await expect(exchange.fromAccessToken(token, null)).rejects.toMatchObject({ code: 'invalid-grant' });
  });

  it('records the use of a token, also through a JWT, at most once an hour', async () => {
    const url = 'https://plots.example';
    const keys = new SigningKeys(store, 'a secret of a test, and of nothing else');
    const exchange = new TokenExchange(store, new AccessJwtIssuer(url, keys, store.clock), new WorkloadIssuers([], store.clock));
    const authenticator = new Authenticator(store, {
      now: () => (now += 5_000),
      jwts: new AccessJwtReader(url, new OwnKeys(store), store.clock),
    });
    const { token, tokenId } = await createTokenWithId(store, { ...owner, name: 'in use' });
    const row = async () =>
      (await asAdmin(`select last_used_at, xmin::text as written from access_token where token_id = '${tokenId}'`))[0]!;
    expect(await row()).toMatchObject({ last_used_at: null });
    await authenticator.byToken(token);
    const first = await row();
    expect(first.last_used_at).not.toBeNull();
    const { token: jwt } = await exchange.fromAccessToken(token, null);
    for (const credential of [token, jwt, token, jwt]) expect(await authenticator.byToken(credential)).not.toBeNull();
    expect(await row()).toEqual(first);
    await asAdmin(`update access_token set last_used_at = now() - interval '61 minutes' where token_id = '${tokenId}'`);
    const stale = await row();
    await authenticator.byToken(jwt);
    const second = await row();
    expect(Number(second.last_used_at)).toBeGreaterThan(Number(stale.last_used_at));
    await authenticator.byToken(token);
    expect(await row()).toEqual(second);
  });

  it('signs in one of several browsers that open a sign-in link, and none after an hour', async () => {
    const link = await createSignInLink(store, owner);
    const sessions = await Promise.all(Array.from({ length: 6 }, () => signIn(store, link)));
    expect(sessions.filter((session) => session !== null)).toHaveLength(1);
    expect(await signIn(store, link)).toBeNull();
    const late = await createSignInLink(store, owner);
    await asAdmin(`update sign_in_link set expires_at = now() - interval '1 second'`);
    expect(await signIn(store, late)).toBeNull();
  });

  it('accepts a session until it expires or was unused for too long', async () => {
    const authenticator = new Authenticator(store, { now: () => now });
    const session = await signIn(store, await createSignInLink(store, owner));
    expect(await authenticator.bySession(session!.secret)).toEqual(ownerOf(owner, { via: 'session' }));
    await asAdmin(`update browser_session set seen_at = now() - interval '6 days'`);
    now += 5_000;
    expect(await authenticator.bySession(session!.secret)).not.toBeNull();
    const [touched] = await asAdmin(`select seen_at > now() - interval '1 minute' as recent from browser_session
      where session_hash = sha256('${session!.secret}')`);
    expect(touched).toEqual({ recent: true });
    await asAdmin(`update browser_session set seen_at = now() - interval '7 days 1 second'`);
    now += 5_000;
    expect(await authenticator.bySession(session!.secret)).toBeNull();
    await asAdmin(`update browser_session set seen_at = now()`);
    now += 5_000;
    expect(await authenticator.bySession(session!.secret)).not.toBeNull();
    await asAdmin(`update browser_session set expires_at = now()`);
    now += 5_000;
    expect(await authenticator.bySession(session!.secret)).toBeNull();
  });

  it('revokes what the ended sessions of a person started: sign-in links and approved devices', async () => {
    const session = (await signIn(store, await createSignInLink(store, owner)))!;
    const link = await createSignInLink(store, owner);
    const { deviceCode, userCode } = await startDevice(store, { clientName: 'a program', scopes: ['read'] }, usualDeviceLimits);
    const caller = await new Authenticator(store).bySession(session.secret);
    expect(await decideDevice(store, caller!, userCode, true)).toBe(true);
    await endSessionsOf(store, owner.personId, null, session.secret);
    expect(await new Authenticator(store).bySession(session.secret)).not.toBeNull();
    expect(await signIn(store, link)).toBeNull();
    await expect(redeemDevice(store, deviceCode)).rejects.toMatchObject({ code: 'bad-request' });
  });

  it('does not cache a failure', async () => {
    let down = true;
    const flaky = new Proxy(store, {
      get: (target, key) => {
        if (key === 'global' && down) throw new Error('down');
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const authenticator = new Authenticator(flaky, { now: () => now });
    const token = await createToken(store, { ...owner, name: 'flaky' });
    await expect(authenticator.byToken(token)).rejects.toThrow('down');
    down = false;
    expect(await authenticator.byToken(token)).not.toBeNull();
  });
});
