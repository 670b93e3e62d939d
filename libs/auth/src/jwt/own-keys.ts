import { readSigningKeys, type Store } from '#store';
import { KeyCache, type VerificationKey } from './key-cache.ts';
import { readKeySet } from './public-keys.ts';

/**
 * The public keys of our own JWTs, which any process can read from the database without a secret.
 */
export class OwnKeys {
  readonly #cache: KeyCache;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(store: Store, now?: () => number) {
    const load = async () => readKeySet({ keys: (await readSigningKeys(store.global)).map(({ publicKey }) => publicKey) });
    // An installation's first key signs immediately; all other keys are published minutes before
    // they sign.
    this.#cache = new KeyCache(load, { retryMs: 1_000, keepsNone: false, ...(now && { now }) });
  }

  find(keyId: string): Promise<VerificationKey | null> {
    return this.#cache.find(keyId);
  }

  /** The content of /.well-known/jwks.json. */
  async jwks(): Promise<{ keys: Record<string, unknown>[] }> {
    const keys = [...(await this.#cache.all())];
    return { keys: keys.map(([kid, { algorithm, key }]) => ({ ...key.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' })) };
  }
}
