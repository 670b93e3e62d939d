import { S3Client } from '@aws-sdk/client-s3';
import { LiveSecret } from '#config/secrets';
import { Problem } from '#model';
import { codeOf, statusOf } from './s3-errors.ts';
import type { S3Credentials } from './s3-options.ts';

/** The key that signs requests. */
export interface S3Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined;
}

/** The keys that sign requests to a store. */
export interface S3Keys {
  /** The current signing key. */
  current(): Promise<S3Key>;
  /** Whether the store has rejected this key and another key can be tried immediately. */
  hasOther(key: S3Key, error: unknown): boolean;
}

/** A store's keys. `region` is where the default chain requests temporary credentials. */
export function keysOf(credentials: S3Credentials, region: string): S3Keys {
  return 'credentials' in credentials ? new EnvironmentKeys(region) : new ConfiguredKeys(credentials);
}

/** The key from the settings, which may be rotated in its files. */
class ConfiguredKeys implements S3Keys {
  readonly #secret: LiveSecret;

  constructor({ accessKeyId, secretAccessKey }: Extract<S3Credentials, { accessKeyId: unknown }>) {
    this.#secret = new LiveSecret([accessKeyId, secretAccessKey]);
  }

  async current(): Promise<S3Key> {
    const [accessKeyId, secretAccessKey] = this.#secret.values;
    return { accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey! };
  }

  hasOther({ accessKeyId, secretAccessKey }: S3Key, error: unknown): boolean {
    return isRejected(error) && this.#secret.rejected([accessKeyId, secretAccessKey]);
  }
}

/**
 * The AWS SDK's default credential chain: environment, web identity, container, instance. The
 * library renews temporary credentials before they expire.
 */
class EnvironmentKeys implements S3Keys {
  readonly #provider: () => Promise<S3Key>;

  constructor(region: string) {
    // A client without credentials uses the chain as its provider.
    const { config } = new S3Client({ region });
    this.#provider = config.credentials;
  }

  async current(): Promise<S3Key> {
    try {
      return await this.#provider();
    } catch (error) {
      throw new Problem('store-unavailable', 'The default credential chain of the AWS SDK has no key for the object store now.', {
        cause: error,
      });
    }
  }

  hasOther(): boolean {
    return false;
  }
}

/**
 * Whether the store does not know the key, or has another secret for it. A HEAD response has no
 * code.
 */
function isRejected(error: unknown): boolean {
  return statusOf(error) === 403 && codeOf(error) !== 'AccessDenied';
}
