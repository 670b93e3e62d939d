import type { FileProblemReason } from '#model';

/**
 * Why a whole record is not kept. The readers of its parts throw it; only the collector catches it,
 * before anything of the record is stored.
 */
export class Rejection extends Error {
  /** The `reason` of the `FileProblem`. */
  readonly reason: FileProblemReason;

  constructor(reason: FileProblemReason, detail: string) {
    super(detail);
    this.name = 'Refusal';
    this.reason = reason;
  }
}

// Created once: with a stack trace per bad record, a hostile file could cause 10 µs of work per 17
// bytes.

export const malformed = new Rejection('not-an-event', 'The record is not a well-formed event.');

export const nestedTooDeeply = new Rejection('nested-too-deeply', 'Groups in the record are nested too deeply.');

export const tooManyValues = new Rejection('too-many-values', 'The event holds too many values.');

export const badUtf8 = new Rejection('invalid-utf8', 'A name in the event is not valid UTF-8.');
