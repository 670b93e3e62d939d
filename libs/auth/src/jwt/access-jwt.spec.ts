import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Problem } from '#model';
import { tenantIdOf } from '#model/testing';
import { DatabaseClock } from '#store';
import { type AccessJwt, AccessJwtIssuer, AccessJwtReader, maxJwtSeconds } from './access-jwt.ts';
import type { OwnKeys } from './own-keys.ts';
import type { SigningKeys } from './signing-keys.ts';

/* Reliability test 65. */

const url = 'https://plots.example';
const jwt: AccessJwt = {
  tenantId: tenantIdOf(randomUUID()),
  personId: randomUUID(),
  grant: { kind: 'token', id: randomUUID() },
  scopes: ['read'],
};
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signingKeys = { current: async () => ({ keyId: 'own', key: privateKey }) } as unknown as SigningKeys;
const ownKeys = { find: async () => ({ algorithm: 'ES256', key: createPublicKey(privateKey) }) } as unknown as OwnKeys;

describe('an access JWT', () => {
  /** The database's time, in seconds. */
  let there: number;
  beforeEach(() => {
    there = 1_700_000_000;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A clock that has just read the database's time, with an error of `offSeconds`. */
  const clock = (offSeconds = 0) =>
    new DatabaseClock(
      async () => (there + offSeconds) * 1_000,
      () => 0,
    );
  const sign = (offSeconds = 0, until: Date | null = null) => new AccessJwtIssuer(url, signingKeys, clock(offSeconds)).sign(jwt, until);
  const read = (token: string, offSeconds = 0) => new AccessJwtReader(url, ownKeys, clock(offSeconds)).read(token);

  it('is valid until it expires, and not a second longer', async () => {
    const { token, seconds } = await sign();
    expect(seconds).toBe(maxJwtSeconds);
    const at = async (second: number) => {
      there = 1_700_000_000 + second;
      return read(token);
    };
    for (const second of [0, 1, maxJwtSeconds - 1]) expect([second, await at(second)]).toEqual([second, jwt]);
    for (const late of [0, 1, 59, 61, 86_400]) expect([late, await at(maxJwtSeconds + late)]).toEqual([late, null]);
  });

  it('expires with its token, by the same clock', async () => {
    const { token, seconds } = await sign(0, new Date((there + 100) * 1_000));
    expect(seconds).toBe(100);
    there += 99;
    expect(await read(token)).toEqual(jwt);
    there += 1;
    expect(await read(token)).toBeNull();
  });

  it('is accepted from a process whose clock is up to a minute ahead', async () => {
    expect(await read((await sign(59)).token)).toEqual(jwt);
    expect(await read((await sign(61)).token)).toBeNull();
  });

  it('is valid in other processes and expires on time, although system clocks differ by a day', async () => {
    const days = [0, 86_400_000, -86_400_000];
    const timeOfDay = (offMs: number) => {
      vi.useRealTimers();
      vi.useFakeTimers({ toFake: ['Date'], now: there * 1_000 + offMs });
    };
    for (const signers of days)
      for (const readers of days) {
        there = 1_700_000_000;
        timeOfDay(signers);
        const { token } = await sign();
        timeOfDay(readers);
        expect([signers, readers, await read(token)]).toEqual([signers, readers, jwt]);
        there += maxJwtSeconds;
        timeOfDay(readers);
        expect([signers, readers, await read(token)]).toEqual([signers, readers, null]);
      }
  });

  it("is neither signed nor accepted by a process that could not read the database's time", async () => {
    const { token } = await sign();
    const none = new DatabaseClock(async () => {
      throw new Problem('store-unavailable', 'down');
    });
    await expect(new AccessJwtIssuer(url, signingKeys, none).sign(jwt)).rejects.toMatchObject({ code: 'store-unavailable' });
    await expect(new AccessJwtReader(url, ownKeys, none).read(token)).rejects.toMatchObject({ code: 'store-unavailable' });
    // A token with an invalid signature is rejected without reading the time.
    expect(await new AccessJwtReader(url, ownKeys, none).read(`${token.slice(0, -4)}AAAA`)).toBeNull();
  });
});
