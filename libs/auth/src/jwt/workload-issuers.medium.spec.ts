import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseClock } from '#store';
import { LocalIssuer } from '../testing/index.ts';
import { WorkloadIssuers } from './workload-issuers.ts';

const subject = 'system:serviceaccount:lab:trainer';

describe('issuers of OIDC tokens for workloads', () => {
  let issuer: LocalIssuer;
  let now = 0;
  const rightClock = new DatabaseClock(async () => Date.now());
  beforeAll(async () => {
    issuer = await LocalIssuer.start();
    await issuer.addKey('first');
  });
  afterEach(() => {
    issuer.broken = null;
    issuer.asked.length = 0;
  });
  afterAll(() => issuer.close());

  const accepted = (jwksUrl: string | null = null, clock = rightClock) =>
    new WorkloadIssuers([{ issuer: issuer.url, jwksUrl }], clock, () => now);
  const keysAsked = () => issuer.asked.filter((path) => path === '/keys').length;

  it('are found by their discovery document, or at the configured address', async () => {
    for (const issuers of [accepted(), accepted(`${issuer.url}/keys`)])
      expect(await issuers.verify(await issuer.sign('first', { sub: subject, aud: 'here' }))).toMatchObject({ sub: subject, aud: 'here' });
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys', '/keys']);
    await issuer.addKey('curve', 'ES256');
    expect(await accepted().verify(await issuer.sign('curve', { sub: subject }))).toMatchObject({ sub: subject });
  });

  it('rotate their keys: a new key is accepted within half a minute, a withdrawn one rejected after a minute', async () => {
    const issuers = accepted();
    const old = () => issuer.sign('first', { sub: subject });
    expect(await issuers.verify(await old())).not.toBeNull();
    await issuer.addKey('second');
    const fresh = () => issuer.sign('second', { sub: subject });
    expect(await issuers.verify(await fresh())).toBeNull();
    now += 30_000;
    expect(await issuers.verify(await fresh())).not.toBeNull();
    issuer.withdraw('first');
    now += 60_000;
    expect(await issuers.verify(await old())).toBeNull();
    expect(await issuers.verify(await fresh())).not.toBeNull();
    await issuer.addKey('first');
  });

  it('load their keys once for a flood of unknown ids', async () => {
    const issuers = accepted();
    const flood = await Promise.all(
      Array.from({ length: 10_000 }, async (_, i) => `${part({ alg: 'RS256', kid: `kid-${i}` })}.${part({ iss: issuer.url })}.AAAA`),
    );
    expect(new Set(await Promise.all(flood.map((token) => issuers.verify(token))))).toEqual(new Set([null]));
    expect(keysAsked()).toBe(1);
    now += 29_999;
    await issuers.verify(flood[0]!);
    expect(keysAsked()).toBe(1);
    now += 1;
    await Promise.all(flood.map((token) => issuers.verify(token)));
    expect(keysAsked()).toBe(2);
  });

  it('are trusted only for current tokens that they signed with a known algorithm', async () => {
    const other = await LocalIssuer.start();
    await other.addKey('first');
    const issuers = accepted();
    const seconds = Math.floor(Date.now() / 1_000);
    expect(await issuers.verify(await issuer.sign('first', { sub: subject }))).not.toBeNull();
    for (const token of [
      await other.sign('first', { sub: subject }),
      await other.sign('first', { sub: subject, iss: issuer.url }),
      await issuer.sign('first', { sub: subject, iss: `${issuer.url}/` }),
      await issuer.sign('first', { sub: subject, exp: seconds - 1 }),
      await issuer.sign('first', { sub: subject, exp: undefined }),
      await issuer.sign('first', { sub: subject, iat: undefined }),
      await issuer.sign('first', { sub: subject, nbf: seconds + 600 }),
      await issuer.sign('first', { sub: subject, exp: seconds + 7 * 86_400 }),
      await issuer.sign('first', { sub: subject }, { typ: 'at+jwt' }),
      await issuer.sign('first', { sub: subject }, { jku: `${other.url}/keys` }),
    ])
      expect(await issuers.verify(token)).toBeNull();
    expect(other.asked).toEqual([]);
    await other.close();
  });

  it('may have a clock that is a minute ahead for iat and nbf, but not for exp', async () => {
    const seconds = 1_700_000_000;
    const at = new DatabaseClock(
      async () => seconds * 1_000,
      () => 0,
    );
    const taken = async (claims: { iat?: number; nbf?: number; exp?: number }) =>
      (await accepted(null, at).verify(await issuer.sign('first', { sub: subject, iat: seconds, exp: seconds + 600, ...claims }))) !== null;
    expect(await taken({})).toBe(true);
    for (const claims of [{ iat: seconds + 59 }, { nbf: seconds + 59 }, { iat: seconds - 100, exp: seconds + 1 }])
      expect([claims, await taken(claims)]).toEqual([claims, true]);
    for (const claims of [
      { iat: seconds + 61 },
      { nbf: seconds + 61 },
      { iat: seconds - 100, exp: seconds },
      { iat: seconds - 100, exp: seconds - 59 },
      { iat: seconds - 100, exp: seconds - 61 },
    ])
      expect([claims, await taken(claims)]).toEqual([claims, false]);
  });

  it('that are down or return nonsense cause another error than a bad token, and a backoff of half a minute', async () => {
    for (const broken of [
      { status: 500, body: '' },
      { status: 200, body: 'no JSON' },
      { status: 200, body: '{}' },
      { status: 200, body: JSON.stringify({ issuer: 'https://somebody.example', jwks_uri: `${issuer.url}/keys` }) },
      { status: 200, body: JSON.stringify({ issuer: issuer.url, jwks_uri: 'http://169.254.169.254/latest' }) },
      { status: 200, body: `{"pad":"${'x'.repeat(300_000)}"}` },
      { status: 302, body: '', headers: { location: `${issuer.url}/keys` } },
    ]) {
      const issuers = accepted();
      issuer.broken = broken;
      issuer.asked.length = 0;
      const token = await issuer.sign('first', { sub: subject });
      for (let again = 0; again < 3; again++) await expect(issuers.verify(token)).rejects.toMatchObject({ code: 'issuer-unavailable' });
      expect([broken, issuer.asked]).toEqual([broken, ['/.well-known/openid-configuration']]);
      issuer.broken = null;
      now += 30_000;
      expect(await issuers.verify(token)).not.toBeNull();
    }
  });
});

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
