import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createToken } from '#auth';
import { insertMember, insertPersonIdentity } from '#store';
import { describeWith } from '#testing';
import { addMember, browserOf } from '../testing/people.ts';
import { type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

describeWith(['postgres'], 'a person', () => {
  let service: ReadService;
  let lab: TestTenant;
  let home: TestTenant;
  /** In both workspaces, with a unique name. */
  let grace: TestTenant;
  let name: string;
  beforeAll(async () => {
    service = await startReadService();
  });
  beforeEach(async () => {
    [lab, home] = [await service.tenant('Lab'), await service.tenant('Home')];
    name = `Grace ${randomUUID()}`;
    grace = await addMember(service, lab, 'admin', name);
    await service.store.withTenant(home.tenantId, (scope) => insertMember(scope, grace.personId, 'member'));
  });
  afterAll(() => service?.close());

  const erase = (as: TestTenant, confirmed: string) => service.call(as, 'DELETE', '/api/v1/person', { body: { name: confirmed } });
  const atHome = async (): Promise<TestTenant> => ({
    ...grace,
    tenantId: home.tenantId,
    token: await createToken(service.store, { tenantId: home.tenantId, personId: grace.personId, name: 'home' }),
  });

  /** An identity at a provider, and every kind of operation that a person may have in progress. */
  const connect = async ({ tenantId, personId }: TestTenant): Promise<void> => {
    await insertPersonIdentity(
      service.store.global,
      { issuer: 'https://id.example', subject: personId },
      { personId, email: `${personId}@example.org` },
    );
    await service.sql(`insert into oidc_attempt values (sha256($1::text::bytea), '/', $2, $1::uuid, now() + interval '1 hour')`, [
      personId,
      tenantId,
    ]);
    await service.sql(
      `insert into device_code (device_hash, user_hash, client_name, scopes, expires_at, interval_seconds, state, tenant_id, person_id)
       values (sha256($1::text::bytea), sha256($1::text::bytea), 'gpu', '{read}', now() + interval '1 hour', 5, 'approved', $2, $1::uuid)`,
      [personId, tenantId],
    );
    await service.sql('insert into code_attempt values ($1, 1, now())', [personId]);
  };

  it('sees their workspaces, whichever one their token is for', async () => {
    const list = async (as: TestTenant) => (await service.call(as, 'GET', '/api/v1/workspaces')).json.workspaces;
    expect(await list(grace)).toEqual([
      { id: lab.tenantId, name: 'Lab', role: 'admin', current: true },
      { id: home.tenantId, name: 'Home', role: 'member', current: false },
    ]);
    expect((await list(await atHome())).map(({ current }: Loose) => current)).toEqual([false, true]);
    const other = (await service.call(grace, 'POST', '/api/v1/experiments', { body: { workspace: home.tenantId } })).json;
    expect(other.code).toBe('forbidden');
    await service.call(home, 'DELETE', `/api/v1/members/${grace.personId}`);
    expect(await list(grace)).toHaveLength(1);
  });

  it('gets everything that is known about them, from every workspace, and nothing about others', async () => {
    const made = await service.call(grace, 'POST', '/api/v1/experiments', { body: { name: 'mine' } });
    await service.call(lab, 'POST', '/api/v1/experiments', { body: { name: 'not mine' } });
    await service.call(grace, 'POST', '/api/v1/invitations', { body: {} });
    await browserOf(service, grace);
    await service.call(grace, 'POST', `/api/v1/experiments/${made.json.id}/share-links`, { body: { name: 'for reviewers' } });
    await connect(grace);
    const away = await atHome();
    await service.call(away, 'POST', '/api/v1/experiments', { body: { name: 'at home' } });
    const { status, headers, text } = await service.call(grace, 'GET', '/api/v1/person/export');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const items = text
      .trimEnd()
      .split('\n')
      .map((line): Loose => JSON.parse(line));
    const of = (kind: string) => items.filter((item) => item.kind === kind);
    expect(of('person')).toMatchObject([{ id: grace.personId, name }]);
    expect(of('workspace').map((one) => [one.name, one.role, one.workspace])).toEqual([
      ['Lab', 'admin', lab.tenantId],
      ['Home', 'member', home.tenantId],
    ]);
    expect(of('token').map((token) => token.name)).toEqual(['admin', 'home']);
    expect(of('session')).toHaveLength(1);
    expect(of('experiment').map((one) => [one.id, one.name])).toEqual([
      [made.json.id, 'mine'],
      [expect.any(String), 'at home'],
    ]);
    expect(of('invitation')).toMatchObject([{ made: true, role: 'member' }]);
    expect(of('identity')).toMatchObject([{ issuer: 'https://id.example', email: `${grace.personId}@example.org` }]);
    expect(of('share-link')).toMatchObject([{ name: 'for reviewers', experiment: made.json.id }]);
    expect(of('action').map(({ action }) => action)).toEqual([
      'experiment.create',
      'member.invite',
      'share-link.create',
      'person.export',
      'experiment.create',
    ]);
    for (const hidden of [grace.token, away.token, 'not mine', lab.personId, home.personId]) expect(text).not.toContain(hidden);
  });

  it('is erased from every workspace, and what they did there stays anonymously', async () => {
    const away = await atHome();
    const key = { 'idempotency-key': 'k-1' };
    const made = await service.call(grace, 'POST', '/api/v1/experiments', { headers: key, body: { name: 'stays' } });
    const elsewhere = await service.call(away, 'POST', '/api/v1/experiments', { body: {} });
    await service.call(
      grace,
      'DELETE',
      `/api/v1/experiments/${(await service.call(grace, 'POST', '/api/v1/experiments', { body: {} })).json.id}`,
    );
    await connect(grace);
    const link = await service.call(grace, 'POST', `/api/v1/experiments/${made.json.id}/share-links`, { body: {} });
    const browser = await browserOf(service, grace);
    expect((await erase(grace, 'Grace')).json.code).toBe('bad-request');
    expect((await service.call(grace, 'GET', '/api/v1/whoami')).status).toBe(200);
    expect((await erase(grace, name)).status).toBe(204);
    const tables = await service.sql(`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`);
    expect(tables.length).toBeGreaterThan(20);
    for (const { relname: table } of tables)
      expect([table, await service.sql(`select from ${String(table)} t where t::text like $1`, [`%${name}%`])]).toEqual([table, []]);
    const theirs = ['workspace_member', 'access_token', 'browser_session', 'sign_in_link', 'person_workspace'];
    for (const table of [...theirs, 'person_identity', 'oidc_attempt', 'device_code', 'code_attempt'])
      expect([table, await service.sql(`select from ${table} where person_id = $1`, [grace.personId])]).toEqual([table, []]);
    expect(await service.sql('select made_by from share_link where link_id = $1', [link.json.id])).toEqual([{ made_by: null }]);
    expect(await service.sql('select from deletion where requested_by = $1', [grace.personId])).toEqual([]);
    expect(await service.sql('select distinct address from audit_entry where actor_id = $1', [grace.personId])).toEqual([
      { address: null },
    ]);
    for (const [who, id] of [
      [lab, made.json.id],
      [home, elsewhere.json.id],
    ] as const)
      expect((await service.call(who, 'GET', `/api/v1/experiments/${id}`)).json.owner).toEqual({
        id: grace.personId,
        name: 'Erased person',
      });
    const lines = (await service.call(lab, 'GET', `/api/v1/audit?person=${grace.personId}`)).json.entries;
    expect(lines.map(({ action, person }: Loose) => [action, person.name])).toEqual([
      ['person.erase', null],
      ['share-link.create', null],
      ['experiment.delete', null],
      ['experiment.create', null],
      ['experiment.create', null],
    ]);
    const fresh = (headers: object) => service.call(null, 'GET', '/api/v1/workspaces', { headers: { ...headers } });
    expect((await fresh(browser)).status).toBe(401);
    expect((await fresh({ authorization: `Bearer ${away.token}` })).status).not.toBe(500);
  });

  it('is erased completely or not at all: the last owner of a workspace gets an error before anything changes', async () => {
    await service.sql(`update workspace_member set role = 'owner' where person_id = $1 and tenant_id = $2`, [
      grace.personId,
      home.tenantId,
    ]);
    await service.sql(`delete from workspace_member where person_id = $1`, [home.personId]);
    expect((await erase(grace, name)).json.code).toBe('last-owner');
    expect(await service.sql('select role from workspace_member where person_id = $1 order by role', [grace.personId])).toEqual([
      { role: 'admin' },
      { role: 'owner' },
    ]);
    expect((await service.call(grace, 'GET', '/api/v1/whoami')).json.person.name).toBe(name);
  });

  it('whose erasure was interrupted is erased by a second request', async () => {
    // The state after a crash between the two transactions.
    await service.call(home, 'DELETE', `/api/v1/members/${grace.personId}`);
    expect((await erase(grace, name)).status).toBe(204);
    expect(
      await service.sql('select display_name, erased_at is not null as erased from person where person_id = $1', [grace.personId]),
    ).toEqual([{ display_name: 'Erased person', erased: true }]);
  });

  it('is erased only by themselves, with a token of all scopes', async () => {
    const narrow = (await service.call(grace, 'POST', '/api/v1/tokens', { body: { name: 'n', scopes: ['read', 'upload', 'manage'] } })).json
      .token;
    expect((await erase({ ...grace, token: narrow }, name)).json.code).toBe('forbidden');
    expect((await erase(lab, name)).json.code).toBe('bad-request');
    expect(
      (await service.call(null, 'DELETE', '/api/v1/person', { headers: await browserOf(service, grace), body: { name } })).status,
    ).toBe(403);
  });
});
