import {
  allowInsecureRequests,
  type Configuration,
  discovery,
  genericGrantRequest,
  initiateDeviceAuthorization,
  pollDeviceAuthorizationGrant,
  ResponseBodyError,
  tokenRevocation,
} from 'openid-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '#config';
import { describeWith, freePort } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { SignInSettings } from './sign-in-settings.ts';

/*
 * Reliability test 38 with an unmodified third-party OAuth client, over the service's own address.
 */

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const form = 'application/x-www-form-urlencoded';

describeWith(['postgres'], 'openid-client', () => {
  let service: ReadService;
  let owner: TestTenant;
  let client: Configuration;
  beforeAll(async () => {
    const port = await freePort();
    const signIn = new SignInSettings(loadConfig({}).signIn, { devices: { lifetimeSeconds: 900, intervalSeconds: 1 } });
    service = await startReadService(`http://127.0.0.1:${port}`, [], { signIn, port });
    owner = await service.tenant();
    client = await discovery(new URL(service.base), 'some client', undefined, undefined, {
      algorithm: 'oauth2',
      execute: [allowInsecureRequests],
    });
  });
  afterAll(() => service?.close());

  const begin = (scope = 'read upload') => initiateDeviceAuthorization(client, { scope });
  const decide = (userCode: string, decision: 'allow' | 'refuse') =>
    service.call(owner, 'POST', '/device', { body: { user_code: userCode, decision } });
  /** A single poll. */
  const ask = (deviceCode: string) => genericGrantRequest(client, deviceGrant, { device_code: deviceCode });
  const polled = async () => (await service.sql('select count(*)::int as n from device_code where polled_at is not null'))[0]!.n;
  const rejection = async (asked: Promise<unknown>) => {
    const error = await asked.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ResponseBodyError);
    const { error: word, status, error_description: description, cause } = error as ResponseBodyError;
    return { word, status, description, code: cause['code'] };
  };
  const whoami = (token: string) => service.call({ ...owner, token }, 'GET', '/api/v1/whoami');

  it('finds the endpoints in the metadata (RFC 8414)', async () => {
    const { json, headers } = await service.call(null, 'GET', '/.well-known/oauth-authorization-server');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(client.serverMetadata()).toMatchObject(json);
    expect(json).toMatchObject({ issuer: service.base, grant_types_supported: expect.arrayContaining([deviceGrant]) });
    for (const name of ['device_authorization_endpoint', 'token_endpoint', 'revocation_endpoint'])
      expect((await service.call(null, 'POST', new URL(json[name]).pathname, { body: {} })).status).not.toBe(404);
    expect((await service.call(null, 'GET', new URL(json.jwks_uri).pathname)).json).toHaveProperty('keys');
  });

  it('signs a program in once its person approves, and out again', async () => {
    const begun = await begin();
    const before = await polled();
    const given = pollDeviceAuthorizationGrant(client, begun);
    await expect.poll(polled, { timeout: 10_000 }).not.toBe(before); // it got authorization_pending, and continues
    expect((await decide(begun.user_code, 'allow')).status).toBe(200);
    const { access_token: token, token_type: type, scope } = await given;
    expect([type, scope]).toEqual(['bearer', 'read upload']);
    expect((await whoami(token)).json).toMatchObject({ person: { id: owner.personId }, scopes: ['read', 'upload'] });
    await tokenRevocation(client, token, { token_type_hint: 'access_token' });
    await tokenRevocation(client, token); // RFC 7009, 2.2: no error, whatever the token was
    expect((await whoami(token)).status).toBe(401);
  });

  it('recognizes each error of RFC 8628, 3.5', async () => {
    const begun = await begin();
    expect(await rejection(ask(begun.device_code))).toMatchObject({
      word: 'authorization_pending',
      status: 400,
      code: 'authorization-pending',
    });
    expect(await rejection(ask(begun.device_code))).toMatchObject({ word: 'slow_down', status: 400 });
    await service.sql(`update device_code set expires_at = now()`);
    expect(await rejection(pollDeviceAuthorizationGrant(client, begun))).toMatchObject({ word: 'expired_token', status: 400 });
    const rejected = await begin();
    await decide(rejected.user_code, 'refuse');
    const { word, description } = await rejection(pollDeviceAuthorizationGrant(client, rejected));
    expect([word, description]).toEqual(['access_denied', 'The program was declined.']);
    expect(await rejection(pollDeviceAuthorizationGrant(client, rejected))).toMatchObject({ word: 'invalid_grant', status: 400 });
  });

  it('recognizes invalid requests (RFC 6749, 5.2)', async () => {
    expect(await rejection(begin('read everything'))).toMatchObject({ word: 'invalid_scope', status: 400 });
    expect(await rejection(genericGrantRequest(client, 'password', { username: 'a' }))).toMatchObject({ word: 'unsupported_grant_type' });
    expect(await rejection(genericGrantRequest(client, deviceGrant, {}))).toMatchObject({ word: 'invalid_request', status: 400 });
    const unsupported = await rejection(genericGrantRequest(client, 'pass"w\\örd', {}));
    expect(unsupported.description).toMatch(/^[ !#-[\]-~]+$/);
    const twice = await service.call(null, 'POST', '/api/v1/token', {
      headers: { 'content-type': form },
      body: 'grant_type=a&grant_type=b',
    });
    expect([twice.status, twice.json.error, twice.headers.get('content-type')]).toEqual([
      400,
      'invalid_request',
      'application/json; charset=utf-8',
    ]);
    const missing = await service.call(null, 'POST', '/api/v1/revoke', { headers: { 'content-type': form }, body: 'client_id=x' });
    expect([missing.status, missing.json.error]).toEqual([400, 'invalid_request']);
  });

  it('may send unknown and empty parameters (RFC 6749, 3.2); JSON may not', async () => {
    const begun = await initiateDeviceAuthorization(client, { scope: 'read', resource: service.base, client_name: '', audience: 'x' });
    expect(begun.user_code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
    const body = { client_id: 'x', resource: service.base };
    const strict = await service.call(null, 'POST', '/api/v1/device', { body });
    expect([strict.status, strict.json.code, strict.json.error]).toEqual([400, 'unknown-field', 'invalid_request']);
  });

  it('exchanges a token at the same endpoint (RFC 8693)', async () => {
    const { access_token: jwt } = await genericGrantRequest(client, 'urn:ietf:params:oauth:grant-type:token-exchange', {
      subject_token: owner.token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      scope: 'read',
    });
    expect((await whoami(jwt)).json).toMatchObject({ via: 'jwt', scopes: ['read'] });
  });
});
