import { createPrivateKey } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken } from '#auth';
import { describeWith } from '#testing';
import { type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const form = 'application/x-www-form-urlencoded';
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

describeWith(['postgres'], 'the exchange of a token for a JWT', () => {
  let service: ReadService;
  let owner: TestTenant;
  let experiment = '';
  beforeAll(async () => {
    service = await startReadService();
    owner = await service.tenant();
    experiment = (await service.call(owner, 'POST', '/api/v1/experiments', { body: {} })).json.id;
  });
  afterAll(() => service?.close());

  const request = (more: Record<string, unknown> = {}) => ({
    grant_type: exchangeGrant,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: owner.token,
    ...more,
  });
  const exchange = (more: Record<string, unknown> = {}) => service.call(null, 'POST', '/api/v1/token', { body: request(more) });
  const jwtOf = async (more: Record<string, unknown> = {}): Promise<TestTenant> => ({
    ...owner,
    token: (await exchange(more)).json.access_token,
  });
  const issue = async (body: object): Promise<Loose> =>
    (await service.call(owner, 'POST', '/api/v1/tokens', { body: { name: 'made', ...body } })).json;

  it('returns one of ten minutes that works like the token, and that others can verify', async () => {
    const { status, json, headers } = await exchange();
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(json).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'read upload manage admin',
    });
    const jwt = { ...owner, token: json.access_token };
    expect((await service.call(jwt, 'GET', `/api/v1/experiments/${experiment}`)).status).toBe(200);
    expect((await service.call(jwt, 'PATCH', `/api/v1/experiments/${experiment}`, { body: { name: 'by JWT' } })).status).toBe(200);
    const published = await service.call(null, 'GET', '/.well-known/jwks.json');
    expect([published.status, published.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
    const { payload } = await jwtVerify(json.access_token, createLocalJWKSet(published.json), {
      issuer: 'http://plots.example',
      audience: 'http://plots.example/api/v1',
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    expect(payload).toMatchObject({ sub: owner.personId, workspace: owner.tenantId, jti: expect.any(String), exp: payload.iat! + 600 });
    expect(Object.keys(published.json.keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  it('accepts a form, as RFC 8693 specifies, and rejects repeated parameters', async () => {
    const body = new URLSearchParams(request({ scope: 'read' }) as Record<string, string>).toString();
    const sent = await service.call(null, 'POST', '/api/v1/token', { headers: { 'content-type': form }, body });
    expect([sent.status, sent.json.scope]).toEqual([200, 'read']);
    const twice = await service.call(null, 'POST', '/api/v1/token', { headers: { 'content-type': form }, body: `${body}&scope=admin` });
    expect([twice.status, twice.json.code]).toEqual([400, 'bad-request']);
    const elsewhere = await service.call(owner, 'POST', '/api/v1/experiments', { headers: { 'content-type': form }, body: 'name=x' });
    expect([elsewhere.status, elsewhere.json.code]).toEqual([415, 'unsupported-media-type']);
  });

  it('never grants more than the token has: scopes, experiments, role', async () => {
    const reader = await jwtOf({ scope: 'read' });
    expect((await service.call(reader, 'POST', '/api/v1/experiments', { body: {} })).status).toBe(403);
    const narrow = await issue({ scopes: ['read'], experiments: [experiment] });
    const beyond = await exchange({ subject_token: narrow.token, scope: 'read upload' });
    expect([beyond.status, beyond.json.code, beyond.json.error]).toEqual([400, 'invalid-scope', 'invalid_scope']);
    expect((await exchange({ scope: 'everything' })).json.code).toBe('invalid-scope');
    const other = (await service.call(owner, 'POST', '/api/v1/experiments', { body: {} })).json.id;
    const bounded = await jwtOf({ subject_token: narrow.token });
    expect((await service.call(bounded, 'GET', `/api/v1/experiments/${experiment}`)).status).toBe(200);
    expect((await service.call(bounded, 'GET', `/api/v1/experiments/${other}`)).status).toBe(404);
  });

  it('rejects a JWT, and a JWT creates nothing that outlives it', async () => {
    const jwt = await jwtOf();
    for (const type of ['access_token', 'jwt', 'id_token']) {
      const names = type === 'access_token' ? {} : { workspace: owner.tenantId, service_account: owner.personId };
      const again = await exchange({ subject_token: jwt.token, subject_token_type: `urn:ietf:params:oauth:token-type:${type}`, ...names });
      expect([type, again.status, again.json.code, again.json.error]).toEqual([type, 400, 'invalid-grant', 'invalid_grant']);
    }
    expect((await service.call(jwt, 'POST', '/api/v1/tokens', { body: { name: 'long' } })).status).toBe(403);
    expect((await service.call(jwt, 'GET', '/api/v1/tokens')).status).toBe(200);
  });

  it('returns the same error for every invalid token', async () => {
    const [expired, revoked] = [await issue({}), await issue({})];
    await service.sql(`update access_token set expires_at = now() - interval '1 second' where token_id = $1`, [expired.id]);
    await service.call(owner, 'DELETE', `/api/v1/tokens/${revoked.id}`);
    for (const token of [expired.token, revoked.token, `plt_${'0'.repeat(36)}`, `${owner.token.slice(0, -1)}!`, 'x']) {
      const { status, json } = await exchange({ subject_token: token });
      expect([status, json.code, json.detail]).toEqual([400, 'invalid-grant', 'The subject token is not a valid access token.']);
    }
  });

  it('invalidates a JWT with its token, whatever the JWT contains', async () => {
    const made = await issue({});
    const jwt = await jwtOf({ subject_token: made.token });
    const works = async () => (await service.call(jwt, 'GET', '/api/v1/whoami')).status;
    expect(await works()).toBe(200);
    const soon = await issue({});
    await service.sql(`update access_token set expires_at = now() + interval '100 seconds' where token_id = $1`, [soon.id]);
    const { json } = await exchange({ subject_token: soon.token });
    expect(json.expires_in).toBeGreaterThan(0);
    expect(json.expires_in).toBeLessThanOrEqual(100);
    expect((await service.call(owner, 'DELETE', `/api/v1/tokens/${made.id}`)).status).toBe(204);
    await expect.poll(works, { timeout: 5_000, interval: 100 }).toBe(401);
  });

  it('invalidates the JWTs of all others when the workspace is deleted', async () => {
    const [doomed, other] = [await service.tenant('Doomed'), await service.tenant('Elsewhere')];
    await service.sql(`insert into workspace_member (tenant_id, person_id, role) values ($1, $2, 'member')`, [
      doomed.tenantId,
      other.personId,
    ]);
    const token = await createToken(service.store, { tenantId: doomed.tenantId, personId: other.personId, name: 'of a member' });
    const [mine, theirs] = [await jwtOf({ subject_token: doomed.token }), await jwtOf({ subject_token: token })];
    const statuses = async () => Promise.all([mine, theirs].map(async (jwt) => (await service.call(jwt, 'GET', '/api/v1/whoami')).status));
    expect(await statuses()).toEqual([200, 200]);
    expect((await service.call(doomed, 'DELETE', '/api/v1/workspace', { body: { name: 'Doomed' } })).status).toBe(202);
    await expect.poll(statuses, { timeout: 5_000, interval: 100 }).toEqual([200, 401]);
  });

  it('rejects unknown fields by name, and bodies that are too long', async () => {
    expect((await exchange({ actor_token: 'x' })).json.code).toBe('unknown-field');
    for (const more of [
      { grant_type: 'password' },
      { subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' },
      { subject_token: '' },
      { scope: '' },
      { scope: 'read  upload' },
      { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
    ])
      expect([more, (await exchange(more)).status]).toEqual([more, 400]);
    expect((await exchange({ subject_token: 'x'.repeat(20_000) })).json.code).toBe('body-too-large');
    expect((await service.call(null, 'GET', '/api/v1/token')).status).toBe(401);
  });

  it('uses a key whose private part is not readable in the database', async () => {
    const { kid } = decodeProtectedHeader((await jwtOf()).token);
    const [row] = await service.sql('select key_id, public_key, sealed_key from signing_key');
    expect(row).toMatchObject({ key_id: kid, public_key: { kty: 'EC', crv: 'P-256' } });
    expect(Object.keys(row!.public_key as object)).not.toContain('d');
    expect(() => createPrivateKey({ key: row!.sealed_key as Buffer, format: 'der', type: 'pkcs8' })).toThrow(/DECODER|asn1/i);
  });
});
