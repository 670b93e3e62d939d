/**
 * Why a part of a file was not read. Reasons are public and never renamed; a reader can find
 * reasons from newer versions in the database.
 */
export const fileProblemReasons = [
  // Framing
  'length-checksum',
  'length-too-large',
  'data-checksum',
  'record-too-large',
  'truncated-record',
  'unverified-records',
  // Records
  'not-an-event',
  'nested-too-deeply',
  'too-many-values',
  'invalid-utf8',
  // Values of a record
  'blob-too-large',
  'metadata-has-nul',
  'metadata-too-large',
  'tag-has-nul',
  'tag-too-long',
  'tensor-too-large',
  'too-many-blobs',
  'too-many-series',
  'value-without-data',
  // Files
  'more-problems',
  'quarantined',
  'reading-fails',
  'stored-bytes-lost',
] as const;

/** One of {@link fileProblemReasons}. */
export type FileProblemReason = (typeof fileProblemReasons)[number];

/** Whether a problem that the service sent or stored has one of these reasons. */
export function hasReason({ reason }: { readonly reason: string }, ...reasons: readonly FileProblemReason[]): boolean {
  return reasons.some((one) => one === reason);
}
