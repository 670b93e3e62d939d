import type { KeyObject } from 'node:crypto';
import { runToEnd } from '#admission';

/** A public key of a JWT issuer. */
export interface VerificationKey {
  readonly algorithm: 'ES256' | 'RS256';
  readonly key: KeyObject;
}

/** Keys by their id (`kid`). */
export type KeySet = ReadonlyMap<string, VerificationKey>;

export interface KeyCacheOptions {
  /** Maximum age of cached keys: a removed key can be accepted for this long. */
  readonly maxAgeMs?: number;
  /**
   * Minimum time between two requests for an unknown key, regardless of how many tokens refer to
   * it.
   */
  readonly cooldownMs?: number;
  /**
   * Whether an empty key set is cached; if false, keys are requested again whenever one is needed.
   */
  readonly keepsNone?: boolean;
  /** Minimum delay after a failure. */
  readonly retryMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * The keys of one issuer, cached for a minute. New keys are known within half a minute, and removed
 * keys are rejected after a minute. A flood of unknown ids costs one lookup per half minute.
 */
export class KeyCache {
  readonly #load: () => Promise<KeySet>;
  readonly #maxAgeMs: number;
  readonly #cooldownMs: number;
  readonly #keepsNone: boolean;
  readonly #retryMs: number;
  readonly #now: () => number;
  #keys: KeySet | null = null;
  #loadedAt = -Infinity;
  #failure: { readonly error: unknown; readonly at: number } | null = null;
  #loading: Promise<KeySet> | null = null;

  constructor(load: () => Promise<KeySet>, options: KeyCacheOptions) {
    this.#load = load;
    this.#maxAgeMs = options.maxAgeMs ?? 60_000;
    this.#cooldownMs = options.cooldownMs ?? 30_000;
    this.#keepsNone = options.keepsNone ?? true;
    this.#retryMs = options.retryMs;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Returns null if there is no such key. After a loading error, throws the same error for
   * `retryMs`.
   */
  async find(keyId: string): Promise<VerificationKey | null> {
    const keys = await this.all();
    const known = keys.get(keyId);
    if (known || this.#now() - this.#loadedAt < this.#cooldownMs) return known ?? null;
    return (await this.#loadOnce()).get(keyId) ?? null;
  }

  /** All keys, at most `maxAgeMs` old. */
  async all(): Promise<KeySet> {
    return this.#keys && this.#now() - this.#loadedAt < this.#maxAgeMs ? this.#keys : this.#loadOnce();
  }

  /** Callers that arrive while keys are being loaded share the result. */
  #loadOnce(): Promise<KeySet> {
    if (this.#failure && this.#now() - this.#failure.at < this.#retryMs) throw this.#failure.error;
    this.#loading ??= runToEnd(() => this.#loadNow()).finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #loadNow(): Promise<KeySet> {
    try {
      this.#keys = await this.#load();
      this.#loadedAt = this.#keys.size > 0 || this.#keepsNone ? this.#now() : -Infinity;
      this.#failure = null;
      return this.#keys;
    } catch (error) {
      this.#failure = { error, at: this.#now() };
      throw error;
    }
  }
}
