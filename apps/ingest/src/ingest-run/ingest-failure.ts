import type { FileId } from '#model';

/** The position of a record. */
export interface RecordPlace {
  readonly fileId: FileId;
  readonly offset: number;
}

/**
 * The records that a transaction had read when it failed: how many, their bytes (without the last
 * record of each file), and the first record.
 */
export interface WitnessedRecords {
  count: number;
  bytes: number;
  first: RecordPlace | null;
}

/**
 * Acknowledged bytes of a file that are damaged in storage or missing from it. Every complete
 * record before them is stored.
 */
export interface LostBytes {
  readonly fileId: FileId;
  readonly name: string;
  /** End of the last complete record before the lost bytes. */
  readonly parsedOffset: number;
  readonly offset: number;
  /** Number of lost bytes; 0 if unknown. */
  readonly bytes: number;
  /** A description of the loss. */
  readonly detail: string;
}

/**
 * A transaction failed and was rolled back. `cause`: the reason. `witnessed`: the records that may
 * be the culprit. `lost`: if stored bytes are the cause, at most one position per file.
 */
export class IngestFailure extends Error {
  readonly witnessed: WitnessedRecords;
  readonly lost: readonly LostBytes[];

  constructor(cause: unknown, witnessed: WitnessedRecords, lost: readonly LostBytes[] = []) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'IngestFailure';
    this.witnessed = witnessed;
    this.lost = lost;
  }
}
