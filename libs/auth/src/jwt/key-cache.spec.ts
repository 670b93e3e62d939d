import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { KeyCache, type VerificationKey } from './key-cache.ts';

/* Reliability test 35: new keys, removed keys, and requests for unknown ids. */

const key: VerificationKey = { algorithm: 'ES256', key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey };

/** A cache of a key set that the test changes, with a clock that the test advances. */
function world() {
  const state = { now: 0, loads: 0, published: ['old'], down: false };
  const load = async () => {
    state.loads++;
    if (state.down) throw new Error('down');
    return new Map(state.published.map((kid) => [kid, key]));
  };
  return { state, cache: new KeyCache(load, { retryMs: 30_000, now: () => state.now }) };
}

it('loads the keys once for a flood of unknown ids, and again after half a minute', async () => {
  const { state, cache } = world();
  const flood = () => Promise.all(Array.from({ length: 10_000 }, (_, i) => cache.find(`unknown ${i}`)));
  for (let round = 0; round < 4; round++) {
    expect(new Set(await flood())).toEqual(new Set([null]));
    for (let second = 0; second < 30; second++) {
      await cache.find('unknown');
      state.now += 1_000;
    }
    expect(state.loads).toBe(round + 1);
  }
});

it('finds a new key within half a minute, while requests need it', async () => {
  const { state, cache } = world();
  await cache.find('old');
  state.published.push('new');
  state.now += 29_999;
  expect(await cache.find('new')).toBeNull();
  state.now += 1;
  expect(await cache.find('new')).toBe(key);
});

it('rejects a withdrawn key after a minute, even when no newer keys can be loaded', async () => {
  const { state, cache } = world();
  expect(await cache.find('old')).toBe(key);
  state.published = [];
  state.now += 59_999;
  expect(await cache.find('old')).toBe(key);
  state.down = true;
  state.now += 1;
  await expect(cache.find('old')).rejects.toThrow('down');
  state.down = false;
  state.now += 30_000;
  expect(await cache.find('old')).toBeNull();
});

it('backs off when the issuer is down, however many requests arrive', async () => {
  const { state, cache } = world();
  state.down = true;
  for (let second = 0; second < 90; second++) {
    await expect(cache.find('old')).rejects.toThrow('down');
    state.now += 1_000;
  }
  expect(state.loads).toBe(3);
});

it('loads once for all concurrent callers', async () => {
  const { state, cache } = world();
  await Promise.all(Array.from({ length: 100 }, () => cache.find('old')));
  expect(state.loads).toBe(1);
});

it('caches an empty key set only if configured to', async () => {
  let published: string[] = [];
  const load = async () => new Map(published.map((kid) => [kid, key]));
  const [keeps, asksAgain] = [true, false].map((keepsNone) => new KeyCache(load, { retryMs: 1, keepsNone, now: () => 0 }));
  for (const cache of [keeps!, asksAgain!]) expect(await cache.find('first')).toBeNull();
  published = ['first'];
  expect(await keeps!.find('first')).toBeNull();
  expect(await asksAgain!.find('first')).toBe(key);
});
