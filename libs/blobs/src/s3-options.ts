/** How an S3 bucket is reached. Can be handed to a worker thread. */
export interface S3Options {
  /** e.g. `https://s3.eu-central-1.amazonaws.com`; the bucket is addressed by path. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** `when-required` for stores that refuse checksum headers: then MD5 guards the way there. */
  readonly checksums: 'when-supported' | 'when-required';
  /** Host and port of addresses that are handed out, when readers reach the store by another name than we do. */
  readonly publicEndpoint?: string | undefined;
  readonly limits?: Partial<S3Limits> | undefined;
}

/** How long and how often the store is asked before a request is given up. */
export interface S3Limits {
  readonly connectMs: number;
  /** Of one attempt, beside a second for each MiB that it moves. */
  readonly attemptMs: number;
  /** Of all attempts together; none begins after it, and beside the same second for each MiB none lasts beyond it. */
  readonly totalMs: number;
  readonly attempts: number;
  readonly sockets: number;
}

export const defaultS3Limits: S3Limits = { connectMs: 1_000, attemptMs: 5_000, totalMs: 12_000, attempts: 5, sockets: 64 };
