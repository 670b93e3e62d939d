import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SigningKeys } from '#auth';
import { LocalIssuer } from '#auth/testing';
import { describeWith } from '#testing';
import { badJwts, type GoodJwt, signGood } from '../testing/bad-jwts.ts';
import { type ReadService, startReadService, testSecret, type TestTenant } from '../testing/read-service.ts';

/* Reliability test 34. */

const url = 'http://plots.example';

describeWith(['postgres'], 'invalid JWTs', () => {
  let service: ReadService;
  let owner: TestTenant;
  let issuer: LocalIssuer;
  /** A request to this server means that a URL in a token was followed. */
  let bait: Server;
  let baitUrl = '';
  const baited: string[] = [];
  let good: GoodJwt;

  beforeAll(async () => {
    bait = createServer((request, response) => {
      baited.push(request.url!);
      response.end(JSON.stringify({ keys: [] }));
    });
    await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve));
    baitUrl = `http://127.0.0.1:${(bait.address() as AddressInfo).port}`;
    issuer = await LocalIssuer.start();
    await issuer.addKey('ci');
    service = await startReadService(url, [], { workloadIssuers: [{ issuer: issuer.url, jwksUrl: null }] });
    owner = await service.tenant();
    const { key, keyId } = await new SigningKeys(service.store, testSecret).current();
    const [{ token_id: tokenId }] = (await service.sql('select token_id from access_token where tenant_id = $1', [owner.tenantId])) as [
      { token_id: string },
    ];
    const now = Math.floor(Date.now() / 1_000);
    good = {
      header: { alg: 'ES256', typ: 'at+jwt', kid: keyId },
      claims: {
        iss: url,
        aud: `${url}/api/v1`,
        sub: owner.personId,
        jti: randomUUID(),
        iat: now,
        exp: now + 600,
        workspace: owner.tenantId,
        token: tokenId,
        scope: 'read upload manage admin',
      },
      key,
    };
  });
  afterAll(async () => {
    await service?.close();
    await issuer?.close();
    bait?.closeAllConnections();
    bait?.close();
  });

  const badOnes = () => badJwts(good, { baitUrl, otherIssuer: issuer.url });

  it('differ from a valid one, which is accepted', async () => {
    const { status, json } = await service.call({ ...owner, token: signGood(good) }, 'GET', '/api/v1/whoami');
    expect([status, json.via]).toEqual([200, 'jwt']);
  });

  it('are rejected with the same text, and no address in them is fetched', async () => {
    const bad = Object.entries(badOnes());
    expect(bad.length).toBeGreaterThan(40);
    issuer.asked.length = 0;
    for (const [name, token] of bad) {
      const { status, json } = await service.call({ ...owner, token }, 'GET', '/api/v1/whoami');
      if (name === 'a megabyte')
        expect([name, [401, 431].includes(status)]).toEqual([name, true]); // too long for a header
      else expect([name, status, json.code]).toEqual([name, 401, 'unauthenticated']);
    }
    expect([baited, issuer.asked]).toEqual([[], []]);
  });

  it('are not exchanged either', async () => {
    for (const [name, token] of [...Object.entries(badOnes()), ['the good one', signGood(good)] as const]) {
      for (const type of ['jwt', 'access_token']) {
        const { status, text } = await service.call(null, 'POST', '/api/v1/token', {
          body: {
            grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
            subject_token_type: `urn:ietf:params:oauth:token-type:${type}`,
            subject_token: token,
            ...(type === 'jwt' && { workspace: owner.tenantId, service_account: owner.personId }),
          },
        });
        expect([name, type, name === 'a megabyte' ? status >= 400 && status < 500 : status]).toEqual([
          name,
          type,
          name === 'a megabyte' || 400,
        ]);
        expect(text).not.toContain('access_token":"');
      }
    }
    expect(baited).toEqual([]);
  });
});
