import type { Secret } from '#config/secrets';

/** How to reach an S3 bucket. Can be passed to a worker thread. */
export type S3Options = S3Location & S3Credentials;

/** The key, or `environment` for the AWS SDK's default credential chain. */
export type S3Credentials = { readonly accessKeyId: Secret; readonly secretAccessKey: Secret } | { readonly credentials: 'environment' };

interface S3Location {
  /** e.g. `https://s3.eu-central-1.amazonaws.com`; the bucket is addressed by path. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** `when-required` for stores that reject checksum headers: then MD5 protects writes. */
  readonly checksums: 'when-supported' | 'when-required';
  /** Host and port for presigned URLs, if readers reach the store under a different name. */
  readonly publicEndpoint?: string | undefined;
  /** Set if the key may only read, so that the probe does not write. */
  readonly readOnly?: boolean | undefined;
  readonly limits?: Partial<S3Limits> | undefined;
}

/** A request's timeouts and number of attempts. */
export interface S3Limits {
  readonly connectMs: number;
  /** Timeout of one attempt, plus a second for each MiB that it transfers. */
  readonly attemptMs: number;
  /**
   * Time limit for all attempts together. No attempt starts after it, and none runs past it by more
   * than the same second per MiB.
   */
  readonly totalMs: number;
  readonly attempts: number;
  readonly sockets: number;
}

export const defaultS3Limits: S3Limits = { connectMs: 1_000, attemptMs: 5_000, totalMs: 12_000, attempts: 5, sockets: 64 };
