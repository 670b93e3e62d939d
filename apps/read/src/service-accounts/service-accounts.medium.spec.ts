import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken, type Role } from '#auth';
import { LocalIssuer } from '#auth/testing';
import { tenantIdOf } from '#model/testing';
import { insertMember, insertPerson } from '#store';
import { describeWith } from '#testing';
import { type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const subject = 'system:serviceaccount:lab:trainer';

describeWith(['postgres'], 'service accounts', () => {
  let service: ReadService;
  let owner: TestTenant;
  let issuer: LocalIssuer;
  beforeAll(async () => {
    issuer = await LocalIssuer.start();
    await issuer.addKey('cluster');
    service = await startReadService('http://plots.example', [], { workloadIssuers: [{ issuer: issuer.url, jwksUrl: null }] });
    owner = await service.tenant();
  });
  afterAll(async () => {
    await service?.close();
    await issuer?.close();
  });

  const accounts = '/api/v1/service-accounts';
  const make = async (body: object = {}, as = owner): Promise<Loose> =>
    (await service.call(as, 'POST', accounts, { body: { name: 'trainer', ...body } })).json;
  const withToken = (token: string): TestTenant => ({ ...owner, token });
  const works = async (token: string) => (await service.call(withToken(token), 'GET', '/api/v1/whoami')).status;
  const tokenOf = async (account: string, body: object = {}): Promise<Loose> =>
    (await service.call(owner, 'POST', `${accounts}/${account}/tokens`, { body: { name: 'made', ...body } })).json;
  const allow = (account: string, body: object = {}, as = owner) =>
    service.call(as, 'POST', `${accounts}/${account}/workloads`, { body: { issuer: issuer.url, subject, ...body } });
  const exchange = async (account: string, claims: object = {}, body: object = {}, as = owner) =>
    service.call(null, 'POST', '/api/v1/token', {
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        subject_token: await issuer.sign('cluster', { sub: subject, aud: 'http://plots.example', ...claims }),
        workspace: as.tenantId,
        service_account: account,
        ...body,
      },
    });

  /** Another member of the workspace, with an unrestricted token. */
  async function member(role: Role): Promise<TestTenant> {
    const personId = randomUUID();
    await insertPerson(service.store.global, personId, role);
    const { tenantId } = owner;
    await service.store.withTenant(tenantId, (scope) => insertMember(scope, personId, role));
    return { tenantId, personId, token: await createToken(service.store, { tenantId, personId, name: role }) };
  }

  it('are members with a role and tokens, and cannot sign in', async () => {
    const account = await make({ role: 'member' });
    expect(account).toEqual({ id: expect.any(String), name: 'trainer', role: 'member', created_at: expect.any(String), workloads: [] });
    const made = await tokenOf(account.id, { scopes: ['read', 'upload', 'admin'] });
    expect(made).toMatchObject({ token: expect.stringMatching(/^plt_[0-9A-Za-z]{36}$/), scopes: ['read', 'upload', 'admin'] });
    const who = await service.call(withToken(made.token), 'GET', '/api/v1/whoami');
    expect(who.json).toMatchObject({ person: { id: account.id, name: 'trainer' }, role: 'member', may_write: true });
    const uploaded = await service.call(withToken(made.token), 'POST', '/api/v1/experiments', { body: { name: 'by a program' } });
    expect(uploaded.status).toBe(201);
    // The scope is sufficient, but the role is not.
    expect((await service.call(withToken(made.token), 'GET', accounts)).status).toBe(403);
    const listed = await service.call(owner, 'GET', '/api/v1/tokens?everybody=true');
    expect(listed.json.tokens).toContainEqual(expect.objectContaining({ id: made.id, person: { id: account.id, name: 'trainer' } }));
  });

  it('are managed by admins, within the rights of their credential', async () => {
    const account = await make();
    const [admin, plain] = [await member('admin'), await member('member')];
    expect((await make({ name: 'by an admin' }, admin)).role).toBe('member');
    for (const [method, path, body] of [
      ['POST', accounts, { name: 'mine' }],
      ['GET', accounts, undefined],
      ['DELETE', `${accounts}/${account.id}`, undefined],
      ['POST', `${accounts}/${account.id}/tokens`, { name: 'mine' }],
      ['POST', `${accounts}/${account.id}/workloads`, { issuer: issuer.url, subject }],
    ] as const)
      expect([method, path, (await service.call(plain, method, path, { body })).status]).toEqual([method, path, 403]);
    const narrow = (await service.call(owner, 'POST', '/api/v1/tokens', { body: { name: 'narrow', scopes: ['read', 'admin'] } })).json;
    const beyond = { name: 'more', scopes: ['upload'] };
    expect((await service.call(withToken(narrow.token), 'POST', `${accounts}/${account.id}/tokens`, { body: beyond })).status).toBe(403);
    expect((await allow(account.id, { scopes: ['upload'] }, withToken(narrow.token))).status).toBe(403);
    expect((await allow(account.id, { scopes: ['read'] }, withToken(narrow.token))).status).toBe(201);
    expect((await make({ role: 'owner' })).code).toBe('bad-request');
    expect((await make({ tenant_id: randomUUID() })).code).toBe('unknown-field');
  });

  it('cannot be distinguished, if of another workspace, from people and unknown ids', async () => {
    const stranger = await service.tenant('Other');
    const theirs = await make({}, stranger);
    for (const id of [theirs.id, owner.personId, randomUUID(), 'x']) {
      for (const [method, path, body] of [
        ['DELETE', '', undefined],
        ['POST', '/tokens', { name: 'x' }],
        ['POST', '/workloads', { issuer: issuer.url, subject }],
        ['DELETE', `/workloads/${randomUUID()}`, undefined],
      ] as const) {
        const { status, json } = await service.call(owner, method, `${accounts}/${id}${path}`, { body });
        expect([id, method, status, json.detail]).toEqual([id, method, 404, 'There is no such service account in this workspace.']);
      }
    }
    expect((await service.call(stranger, 'GET', accounts)).json.service_accounts.map(({ id }: Loose) => id)).toEqual([theirs.id]);
    expect((await service.call(owner, 'GET', accounts)).text).not.toContain(theirs.id);
  });

  it('that are removed lose their tokens, JWTs and workloads', async () => {
    const account = await make();
    const made = await tokenOf(account.id);
    expect((await allow(account.id)).status).toBe(201);
    const jwt = (await exchange(account.id)).json.access_token;
    const { json } = await service.call(withToken(jwt), 'POST', '/api/v1/experiments', { body: { name: 'stays' } });
    expect([await works(made.token), await works(jwt)]).toEqual([200, 200]);
    expect((await service.call(owner, 'DELETE', `${accounts}/${account.id}`)).status).toBe(204);
    await expect.poll(async () => [await works(made.token), await works(jwt)], { timeout: 5_000, interval: 100 }).toEqual([401, 401]);
    expect((await exchange(account.id)).json.code).toBe('invalid-grant');
    expect((await service.call(owner, 'GET', `/api/v1/experiments/${json.id}`)).json.name).toBe('stays');
    expect((await service.call(owner, 'DELETE', `${accounts}/${account.id}`)).status).toBe(404);
    for (const table of ['service_account', 'workload_identity', 'workspace_member', 'access_token'])
      expect(await service.sql(`select 1 from ${table} where person_id = $1`, [account.id])).toEqual([]);
  });

  it('are the identity of a workload with its own OIDC token, without a secret of ours', async () => {
    const account = await make();
    const made = await allow(account.id, { scopes: ['read', 'upload'] });
    expect(made.json).toEqual({
      id: expect.any(String),
      issuer: issuer.url,
      audience: 'http://plots.example',
      subject,
      scopes: ['read', 'upload'],
    });
    const { status, json } = await exchange(account.id, { aud: ['https://kubernetes.default.svc', 'http://plots.example'] });
    expect([status, json.scope, json.expires_in]).toEqual([200, 'read upload', 600]);
    const who = await service.call(withToken(json.access_token), 'GET', '/api/v1/whoami');
    expect(who.json).toMatchObject({ person: { id: account.id }, via: 'jwt', scopes: ['read', 'upload'], may_write: true });
    expect((await exchange(account.id, {}, { scope: 'read' })).json.scope).toBe('read');
    expect((await exchange(account.id, {}, { scope: 'read admin' })).json.code).toBe('invalid-scope');
    const [listed] = (await service.call(owner, 'GET', accounts)).json.service_accounts.filter(({ id }: Loose) => id === account.id);
    expect(listed.workloads).toEqual([{ ...made.json, created_at: expect.any(String), last_used_at: expect.any(String) }]);
    expect((await service.call(owner, 'DELETE', `${accounts}/${account.id}/workloads/${made.json.id}`)).status).toBe(204);
    await expect.poll(() => works(json.access_token), { timeout: 5_000, interval: 100 }).toBe(401);
    expect((await service.call(owner, 'DELETE', `${accounts}/${account.id}/workloads/${made.json.id}`)).json.code).toBe(
      'workload-not-found',
    );
  });

  it('reject workloads that do not match exactly', async () => {
    const [account, other] = [await make(), await make()];
    await allow(account.id, { subject: 'repo:lab/models:*', audience: 'urn:plots' });
    const stranger = await service.tenant('Other');
    const inOther = await make({}, stranger);
    await allow(inOther.id, { subject: 'repo:lab/models:*', audience: 'urn:plots' }, stranger);
    const right = { sub: 'repo:lab/models:ref:refs/heads/main', aud: 'urn:plots' };
    expect((await exchange(account.id, right)).status).toBe(200);
    const words = new Set<string>();
    for (const [claims, target, as] of [
      [{ ...right, aud: 'http://plots.example' }, account, owner],
      [{ ...right, aud: undefined }, account, owner],
      [{ ...right, sub: 'repo:lab/models2:ref:refs/heads/main' }, account, owner],
      [{ ...right, sub: 'repo:evil/lab/models:x' }, account, owner],
      [right, other, owner],
      [right, { id: owner.personId }, owner],
      [right, { id: randomUUID() }, owner],
      [right, inOther, owner],
      [right, account, stranger],
      [right, account, { ...owner, tenantId: tenantIdOf(randomUUID()) }],
    ] as const) {
      const { status, json } = await exchange(target.id, claims, {}, as);
      expect([status, json.code]).toEqual([400, 'invalid-grant']);
      if (claims === right) words.add(json.detail);
    }
    expect(words.size).toBe(1);
    expect((await exchange(account.id, { ...right, sub: undefined })).status).toBe(400);
    expect((await exchange('x', right)).status).toBe(400);
  });

  it('trust only issuers that the operator configured, and specific subjects', async () => {
    const account = await make();
    const foreign = await allow(account.id, { issuer: 'https://evil.example' });
    expect([foreign.status, foreign.json.detail]).toEqual([400, expect.stringContaining(issuer.url)]);
    for (const wide of ['*', 'repo:*', 'repo:lab*', ''])
      expect([wide, (await allow(account.id, { subject: wide })).status]).toEqual([wide, 400]);
    expect((await allow(account.id, { subject: 'repo:lab/*' })).status).toBe(201);
  });
});
