import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { LiveSecret, type Secret } from '#config/secrets';
import { insertSigningKey, readSigningKeys, removeOldSigningKeys, type Store, type StoredSigningKey } from '#store';
import { SecretKey } from './secret-key.ts';

/** The current signing key. */
export interface SigningKey {
  readonly keyId: string;
  readonly key: KeyObject;
}

/** How long a key is used for signing. */
const rotateAfterSeconds = 30 * 86_400;
/** How long a key is published before it is used; verifiers' copies are at most a minute old. */
const publishAheadSeconds = 300;
/** How long a key is kept after its last signature, until everything that it signed has expired. */
const keepSeconds = 3_600;
const lookAgainMs = 60_000;
/** The minimum of the setting. */
const minSecretCharacters = 32;

/**
 * The private keys of our own JWTs. They rotate automatically: a new key is published, then used,
 * and the old one is removed once everything that it signed has expired. Several processes share
 * them through the database. Keys sealed with another PLOTLINE_SECRET_KEY are skipped. If the
 * secret was changed in its file, keys sealed with the previous one are still used.
 */
export class SigningKeys {
  readonly #store: Store;
  readonly #secret: LiveSecret;
  readonly #now: () => number;
  #kept: { readonly key: Promise<SigningKey>; readonly until: number } | null = null;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(store: Store, secret: Secret, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#secret = new LiveSecret(secret, { isValid: ([key = '']) => key.length >= minSecretCharacters });
    this.#now = now;
  }

  /**
   * Returns the key to sign with, and creates it if there is none. Call this once when a process
   * starts, so that other processes know the first key before it is used.
   */
  async current(): Promise<SigningKey> {
    if (this.#kept && this.#kept.until > this.#now()) return this.#kept.key;
    const key = this.#look();
    this.#kept = { key, until: this.#now() + lookAgainMs };
    key.catch(() => (this.#kept = null)); // an error is not cached; waiting callers get it
    return key;
  }

  async #look(): Promise<SigningKey> {
    const stored = await readSigningKeys(this.#store.global);
    const [secret, before] = this.#secret.within(Infinity).map(secretKey);
    const opened = newestThatSigns(stored, secret!);
    if (!opened) return (await this.#replace(stored, secret!, before)) ?? this.#makeFirst(stored);
    const newest = stored[0]!;
    if (newest.signsForSeconds > rotateAfterSeconds) await this.#make(stored, publishAheadSeconds);
    if (stored.length > 1 && newest.signsForSeconds > keepSeconds) await removeOldSigningKeys(this.#store.global, keepSeconds);
    return opened;
  }

  /**
   * After the secret has changed, publishes a key that is sealed with the new secret, and signs
   * with the old key until the new one may sign. Returns null if the previous secret opens no key.
   */
  async #replace(stored: readonly StoredSigningKey[], secret: SecretKey, before: SecretKey | undefined): Promise<SigningKey | null> {
    const opened = before ? newestThatSigns(stored, before) : null;
    const isPublished = stored.some(({ keyId, sealedKey }) => secret.open(sealedKey, keyId) !== null);
    if (opened && !isPublished) await this.#make(stored, publishAheadSeconds);
    return opened;
  }

  /** If several processes find no key, only one process creates a key. */
  async #makeFirst(stored: readonly StoredSigningKey[]): Promise<SigningKey> {
    await this.#make(stored, 0);
    const opened = newestThatSigns(await readSigningKeys(this.#store.global), secretKey(this.#secret.value));
    if (!opened) throw new Error('no signing key can be opened: do all processes have the same PLOTLINE_SECRET_KEY?');
    return opened;
  }

  async #make(known: readonly StoredSigningKey[], signsInSeconds: number): Promise<void> {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keyId = randomBytes(12).toString('base64url');
    await insertSigningKey(
      this.#store.global,
      {
        keyId,
        publicKey: { ...publicKey.export({ format: 'jwk' }), kid: keyId, alg: 'ES256', use: 'sig' },
        sealedKey: secretKey(this.#secret.value).seal(privateKey.export({ format: 'der', type: 'pkcs8' }), keyId),
        signsInSeconds,
      },
      known.map((key) => key.keyId),
    );
  }
}

function secretKey(secret: string): SecretKey {
  return new SecretKey(secret, 'signing keys');
}

function newestThatSigns(stored: readonly StoredSigningKey[], secret: SecretKey): SigningKey | null {
  for (const { keyId, sealedKey, signsForSeconds } of stored) {
    const plain = signsForSeconds < 0 ? null : secret.open(sealedKey, keyId);
    if (plain) return { keyId, key: createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' }) };
  }
  return null;
}
