import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AccessJwtReader, Authenticator, createTokenWithId, OwnKeys, SigningKeys } from '#auth';
import { badJwts, type GoodJwt, signGood } from '../../apps/read/src/testing/bad-jwts.ts';
import type { LocalStore } from '../lib/local-store.ts';
import { median } from '../lib/stats.ts';

/** Results of sending bad JWTs. */
export interface Rejections {
  /** Milliseconds per round, by JWT defect. */
  readonly milliseconds: Readonly<Record<string, readonly number[]>>;
  readonly letIn: number;
  /** Requests that reached the server to which `jku` and `x5u` point. */
  readonly caused: number;
}

const url = 'http://127.0.0.1:6100';

/**
 * Measures how long the service takes to reject each JWT in reliability test 34. Every round uses
 * new JWTs, which no cache contains. Signing keys stay cached, as in a warm service.
 */
export async function rejections({ store, tenantId }: LocalStore, rounds: number): Promise<Rejections> {
  let caused = 0;
  const bait = createServer((_request, response) => {
    caused++;
    response.end(JSON.stringify({ keys: [] }));
  });
  await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve));
  const baitUrl = `http://127.0.0.1:${(bait.address() as AddressInfo).port}`;
  try {
    const authenticator = new Authenticator(store, { jwts: new AccessJwtReader(url, new OwnKeys(store), store.clock) });
    const { key, keyId } = await new SigningKeys(store, 'a secret for this bench only').current();
    const { tokenId } = await createTokenWithId(store, { tenantId, personId: tenantId, name: 'bad JWTs' });
    const milliseconds: Record<string, number[]> = {};
    let accepted = 0;
    for (let round = 0; round <= rounds; round++) {
      const good = goodJwt(tenantId, tokenId, key, keyId);
      if (!(await authenticator.byToken(signGood(good)))) throw new Error('the valid JWT was rejected');
      for (const [name, token] of Object.entries(badJwts(good, { baitUrl, otherIssuer: `${baitUrl}/ci` }))) {
        const started = performance.now();
        const caller = await authenticator.byToken(token);
        // The first round warms up.
        if (round > 0) (milliseconds[name] ??= []).push(performance.now() - started);
        if (caller) accepted++;
      }
    }
    return { milliseconds, letIn: accepted, caused };
  } finally {
    bait.closeAllConnections();
    bait.close();
  }
}

/** Returns the kind of bad JWT with the highest median. */
export function slowest({ milliseconds }: Rejections): { readonly name: string; readonly ms: number } {
  const all = Object.entries(milliseconds).map(([name, each]) => ({ name, ms: median(each) }));
  return all.reduce((worst, one) => (one.ms > worst.ms ? one : worst));
}

function goodJwt(tenantId: string, tokenId: string, key: GoodJwt['key'], kid: string): GoodJwt {
  const now = Math.floor(Date.now() / 1_000);
  return {
    header: { alg: 'ES256', typ: 'at+jwt', kid },
    claims: {
      iss: url,
      aud: `${url}/api/v1`,
      sub: tenantId,
      jti: randomUUID(),
      iat: now,
      exp: now + 600,
      workspace: tenantId,
      token: tokenId,
      scope: 'read upload manage admin',
    },
    key,
  };
}
