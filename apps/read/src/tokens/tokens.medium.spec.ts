import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken, type Role } from '#auth';
import { limits } from '#model';
import { insertMember, insertPerson } from '#store';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

describeWith(['postgres'], 'access tokens', () => {
  let service: ReadService;
  let owner: TestTenant;
  let [first, second] = ['', ''];
  beforeAll(async () => {
    service = await startReadService();
    owner = await service.tenant();
    const make = async (): Promise<string> => (await service.call(owner, 'POST', '/api/v1/experiments', { body: {} })).json.id;
    [first, second] = [await make(), await make()];
  });
  afterAll(() => service?.close());

  const issue = async (body: object, as = owner) => service.call(as, 'POST', '/api/v1/tokens', { body: { name: 'made', ...body } });
  const withToken = (token: string): TestTenant => ({ ...owner, token });

  /** Another member of the workspace, with an unrestricted token. */
  async function member(role: Role): Promise<TestTenant> {
    const personId = randomUUID();
    await insertPerson(service.store.global, personId, role);
    const { tenantId } = owner;
    await service.store.withTenant(tenantId, (scope) => insertMember(scope, personId, role));
    return { tenantId, personId, token: await createToken(service.store, { tenantId, personId, name: role }) };
  }

  it('are shown once, listed without their secret, and limited to their scopes', async () => {
    const made = await issue({ scopes: ['read'], expires_in_days: 7 });
    expect(made.status).toBe(201);
    expect(made.json).toEqual({
      id: expect.any(String),
      token: expect.stringMatching(/^plt_[0-9A-Za-z]{36}$/),
      name: 'made',
      scopes: ['read'],
      experiments: null,
      expires_at: expect.any(String),
    });
    expect(Math.abs(Date.parse(made.json.expires_at) - Date.now() - 7 * 86_400_000)).toBeLessThan(60_000);
    const reader = withToken(made.json.token);
    expect((await service.call(reader, 'GET', `/api/v1/experiments/${first}`)).status).toBe(200);
    const rejected = await service.call(reader, 'POST', '/api/v1/experiments', { body: {} });
    expect([rejected.status, rejected.json.code, rejected.json.detail]).toEqual([403, 'forbidden', 'This token only permits read.']);
    expect((await issue({}, reader)).status).toBe(403);
    const listed = await service.call(owner, 'GET', '/api/v1/tokens');
    expect(listed.text).not.toContain(made.json.token);
    expect(listed.json.tokens.find(({ id }: { id: string }) => id === made.json.id)).toMatchObject({
      hint: made.json.token.slice(-4),
      person: { id: owner.personId, name: 'Ada' },
      scopes: ['read'],
      last_used_at: expect.any(String),
    });
    expect(JSON.stringify(await service.sql('select t::text from idempotency_key t'))).not.toContain(made.json.token);
  });

  it('are bounded for each member, and listed in pages, so that none is hidden behind others', async () => {
    const one = await member('member');
    const { tenantId, personId } = one;
    await service.sql(
      `insert into access_token (tenant_id, token_id, person_id, name, hint, scopes, created_at)
        select $1, gen_random_uuid(), $2, 'many', 'xxxx', '{read}', now() - interval '1 hour' from generate_series(1, $3::int)`,
      [tenantId, personId, limits.maxTokensPerMember - 2],
    );
    const atOnce = await Promise.all(Array.from({ length: 6 }, () => issue({}, one)));
    expect(atOnce.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400, 400, 400]);
    expect((await issue({}, one)).json).toMatchObject({ status: 400, detail: expect.stringContaining('1000 tokens at a time') });
    const seen: string[] = [];
    let next = '';
    do {
      const page = await service.call(one, 'GET', `/api/v1/tokens?page_size=300${next && `&page_token=${next}`}`);
      seen.push(...page.json.tokens.map(({ id }: { id: string }) => id));
      next = page.json.next_page_token ?? '';
    } while (next !== '');
    expect([seen.length, new Set(seen).size]).toEqual([limits.maxTokensPerMember, limits.maxTokensPerMember]);
    expect((await service.call(one, 'GET', '/api/v1/tokens?page_token=made-up')).json.code).toBe('invalid-page-token');
    await service.call(one, 'DELETE', `/api/v1/tokens/${seen.at(-1)}`);
    expect((await issue({}, one)).status).toBe(201);
  });

  it('for some experiments see nothing of the others, or of the workspace', async () => {
    const made = await issue({ scopes: ['read', 'upload', 'manage'], experiments: [first] });
    const bounded = withToken(made.json.token);
    expect((await service.call(bounded, 'GET', `/api/v1/experiments/${first}`)).status).toBe(200);
    const [hidden, missing] = [second, 'A'.repeat(22)].map((id) => `/api/v1/experiments/${id}`);
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'mine' }],
      ['DELETE', '', undefined],
      ['GET', '/runs', undefined],
      ['POST', '/scalars/query', {}],
    ] as const) {
      const responses = [];
      for (const path of [hidden, missing]) {
        const { status, json } = await service.call(bounded, method, path + rest, { body });
        responses.push({ status, ...json, request_id: null });
      }
      expect(responses[0], method + rest).toEqual(responses[1]);
      expect(responses[0]!.status).toBe(404);
    }
    const { json } = await service.call(bounded, 'GET', '/api/v1/experiments');
    expect(json.experiments.map(({ id }: { id: string }) => id)).toEqual([first]);
    expect((await service.call(bounded, 'POST', '/api/v1/experiments', { body: {} })).status).toBe(403);
    expect((await service.call(bounded, 'GET', '/api/v1/workspace')).status).toBe(403);
    expect((await service.call(bounded, 'GET', '/api/v1/tokens')).status).toBe(403);
  });

  it('for some experiments get no repeated response of another token of their person', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const ask = (as: TestTenant) =>
      service.call(as, 'POST', `/api/v1/experiments/${second}/deletions`, { headers: key, body: { steps: { from: 5, to: 9 } } });
    const given = await ask(owner);
    expect([given.status, given.json.id]).toEqual([202, expect.any(String)]);
    expect((await ask(owner)).headers.get('idempotency-replayed')).toBe('true');
    const bounded = withToken((await issue({ scopes: ['read', 'upload', 'manage'], experiments: [first] })).json.token);
    const rejected = await ask(bounded);
    expect([rejected.status, rejected.headers.get('idempotency-replayed'), rejected.text.includes(given.json.id)]).toEqual([
      404,
      null,
      false,
    ]);
  });

  it('never get more rights than their creating credential, or an experiment that it cannot see', async () => {
    const narrow = withToken((await issue({ scopes: ['read', 'manage'] })).json.token);
    expect((await issue({ scopes: ['read'] }, narrow)).status).toBe(201);
    expect((await issue({ scopes: ['read', 'admin'] }, narrow)).json).toMatchObject({
      code: 'forbidden',
      detail: expect.stringContaining('admin'),
    });
    const stranger = await service.tenant('Other');
    expect((await issue({ experiments: [first] }, stranger)).json.code).toBe('experiment-not-found');
    expect((await issue({ scopes: [] })).status).toBe(400);
    expect((await issue({ scopes: ['everything'] })).status).toBe(400);
    expect((await issue({ tenant_id: stranger.tenantId })).json.code).toBe('unknown-field');
  });

  it('expire no later than the token that created them', async () => {
    const creator = (await issue({ scopes: ['read', 'upload', 'manage', 'admin'], expires_in_days: 2 })).json;
    const ending = withToken(creator.token);
    const endOf = async (body: object): Promise<string> => (await issue(body, ending)).json.expires_at;
    for (const lifetime of [{}, { expires_in_days: 3_650 }, { expires_in_days: null }, { expires_in_days: 3 }])
      expect([lifetime, await endOf(lifetime)]).toEqual([lifetime, creator.expires_at]);
    expect(Date.parse(await endOf({ expires_in_days: 1 }))).toBeLessThan(Date.parse(creator.expires_at));
    const account = (await service.call(ending, 'POST', '/api/v1/service-accounts', { body: { name: 'program', role: 'member' } })).json;
    const path = `/api/v1/service-accounts/${account.id}/tokens`;
    const ofProgram = await service.call(ending, 'POST', path, { body: { name: 'x', scopes: ['read'], expires_in_days: null } });
    expect([ofProgram.status, ofProgram.json.expires_at]).toEqual([201, creator.expires_at]);
    // This includes tokens created with tokens that it created.
    const child = withToken((await issue({ scopes: ['read', 'manage'] }, ending)).json.token);
    expect((await issue({ scopes: ['read'], expires_in_days: null }, child)).json.expires_at).toBe(creator.expires_at);
    expect((await issue({ expires_in_days: null })).json.expires_at).toBeNull();
  });

  it('sign in a browser or a program for no longer than they last', async () => {
    const creator = (await issue({ scopes: ['read', 'upload', 'manage', 'admin'], expires_in_days: 2 })).json;
    const ending = withToken(creator.token);
    const begun = (await service.call(null, 'POST', '/api/v1/device', { body: { client_name: 'program', scope: 'read' } })).json;
    expect((await service.call(ending, 'POST', '/device', { body: { user_code: begun.user_code, decision: 'allow' } })).status).toBe(200);
    const given = await service.call(null, 'POST', '/api/v1/token', {
      body: { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: begun.device_code },
    });
    expect(given.json.expires_in).toBeGreaterThan(86_400);
    expect(given.json.expires_in).toBeLessThanOrEqual(2 * 86_400);
    const [program] = await service.sql(`select expires_at from access_token where name = 'program'`);
    expect((program!.expires_at as Date).toISOString()).toBe(creator.expires_at);

    const { json } = await service.call(ending, 'POST', '/api/v1/sign-in-links', { body: {} });
    const host = { host: 'plots.example' };
    const opened = await service.raw('GET', `/sign-in/${String(json.url).split('/').at(-1)}`, host);
    const [cookie] = opened.headers['set-cookie'] as [string];
    expect(Number(/Max-Age=(\d+)/.exec(cookie)![1])).toBeLessThanOrEqual(2 * 86_400);
    const [session] = await service.sql('select expires_at, session_id from browser_session order by created_at desc limit 1');
    expect((session!.expires_at as Date).toISOString()).toBe(creator.expires_at);
    const ours = { ...host, cookie: cookie.split(';')[0]!, 'sec-fetch-site': 'same-origin', origin: 'http://plots.example' };
    expect((await service.raw('GET', '/api/v1/whoami', ours)).status).toBe(200);
    // Tokens that the session creates expire with it.
    const made = await service.call(null, 'POST', '/api/v1/tokens', {
      headers: ours,
      body: { name: 'of the session', expires_in_days: null },
    });
    expect([made.status, made.json?.expires_at]).toEqual([201, creator.expires_at]);
    // A link from a token without expiry starts a session that may create such tokens.
    const free = await service.call(owner, 'POST', '/api/v1/sign-in-links', { body: {} });
    const other = await service.raw('GET', `/sign-in/${String(free.json.url).split('/').at(-1)}`, host);
    const unbounded = { ...ours, cookie: (other.headers['set-cookie'] as [string])[0].split(';')[0]! };
    const lasting = await service.call(null, 'POST', '/api/v1/tokens', {
      headers: unbounded,
      body: { name: 'lasting', expires_in_days: null },
    });
    expect([lasting.status, lasting.json?.expires_at]).toEqual([201, null]);
  });

  it('are revoked together with everything created by them, directly or indirectly', async () => {
    const all = { scopes: ['read', 'upload', 'manage', 'admin'] };
    const root = (await issue(all)).json;
    const sibling = (await issue(all)).json;
    const child = (await issue(all, withToken(root.token))).json;
    const host = { host: 'plots.example' };
    const link = async (): Promise<string> => {
      const { json } = await service.call(withToken(child.token), 'POST', '/api/v1/sign-in-links', { body: {} });
      return `/sign-in/${String(json.url).split('/').at(-1)}`;
    };
    const opened = await service.raw('GET', await link(), host);
    const unused = await link();
    const ours = {
      ...host,
      cookie: (opened.headers['set-cookie'] as [string])[0].split(';')[0]!,
      'sec-fetch-site': 'same-origin',
      origin: 'http://plots.example',
    };
    const invitation = (await service.call(withToken(child.token), 'POST', '/api/v1/invitations', { body: { role: 'owner' } })).json;
    const jwt = await service.call(null, 'POST', '/api/v1/token', {
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        subject_token: child.token,
      },
    });
    for (const [path, body] of [
      ['/api/v1/invitations', { role: 'viewer' }],
      ['/api/v1/service-accounts', { name: 'CI', role: 'viewer' }],
      ['/api/v1/tokens', { name: 'of a JWT' }],
    ] as const)
      expect([path, (await service.call(withToken(jwt.json.access_token), 'POST', path, { body })).status]).toEqual([path, 403]);
    const ofSession = (await service.call(null, 'POST', '/api/v1/tokens', { headers: ours, body: { name: 'of the session' } })).json;
    const program = (await service.call(null, 'POST', '/api/v1/device', { body: { scope: 'read' } })).json;
    const decision = { user_code: program.user_code, decision: 'allow' };
    expect((await service.call(withToken(child.token), 'POST', '/device', { body: decision })).status).toBe(200);
    expect((await service.raw('GET', '/api/v1/whoami', ours)).status).toBe(200);

    expect((await service.call(owner, 'DELETE', `/api/v1/tokens/${root.id}`)).status).toBe(204);
    const left = (await service.call(owner, 'GET', '/api/v1/tokens')).json.tokens.map(({ id }: { id: string }) => id);
    expect([root, child, ofSession, sibling].map(({ id }) => left.includes(id))).toEqual([false, false, false, true]);
    for (const token of [root, child, ofSession])
      await expect
        .poll(async () => (await service.call(withToken(token.token), 'GET', '/api/v1/whoami')).status, { timeout: 5_000 })
        .toBe(401);
    await expect.poll(async () => (await service.raw('GET', '/api/v1/whoami', ours)).status, { timeout: 5_000 }).toBe(401);
    expect((await service.raw('GET', unused, host)).headers['set-cookie']).toBeUndefined();
    const rejected = await service.call(null, 'POST', '/api/v1/token', {
      body: { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: program.device_code },
    });
    expect([rejected.status, rejected.json.error]).toEqual([400, 'invalid_grant']);
    const guest = await service.tenant('Guest');
    const accepted = await service.call(guest, 'POST', '/api/v1/invitations/accept', {
      body: { secret: invitation.url.split('/').at(-1) },
    });
    expect([accepted.status, accepted.json.code]).toEqual([404, 'invitation-not-found']);
    const lines = await service.sql(`select object_id from audit_entry where action = 'token.revoke'`);
    for (const { id } of [root, child, ofSession]) expect(lines).toContainEqual({ object_id: id });
  });

  it('are revoked by their owner, and by admins; others cannot detect them', async () => {
    const [admin, one, two] = [await member('admin'), await member('member'), await member('viewer')];
    const ofOwner = (await issue({ scopes: ['read'] })).json;
    expect((await service.call(admin, 'DELETE', `/api/v1/tokens/${ofOwner.id}`)).status).toBe(403);
    expect((await service.call(owner, 'GET', '/api/v1/tokens')).json.tokens).toContainEqual(expect.objectContaining({ id: ofOwner.id }));
    const made = await issue({ scopes: ['read'] }, one);
    const path = `/api/v1/tokens/${made.json.id}`;
    const responses = [await service.call(two, 'DELETE', path), await service.call(two, 'DELETE', `/api/v1/tokens/${randomUUID()}`)];
    expect(responses.map(({ status, json }) => [status, json.code, json.detail])).toEqual([
      [404, 'token-not-found', 'You have no such token.'],
      [404, 'token-not-found', 'You have no such token.'],
    ]);
    expect((await service.call(await service.tenant('Other'), 'DELETE', path)).status).toBe(404);
    expect((await service.call(two, 'GET', '/api/v1/tokens?everybody=true')).status).toBe(403);
    const all = await service.call(admin, 'GET', '/api/v1/tokens?everybody=true');
    expect(all.json.tokens.map(({ id }: { id: string }) => id)).toContain(made.json.id);
    expect((await service.call(admin, 'DELETE', path)).status).toBe(204);
    expect((await service.call(admin, 'DELETE', path)).status).toBe(204);
    expect((await service.call(one, 'GET', '/api/v1/tokens')).json.tokens.map(({ id }: { id: string }) => id)).not.toContain(made.json.id);
    expect((await service.call(withToken(made.json.token), 'GET', '/api/v1/whoami')).status).toBe(401);
  });
});
