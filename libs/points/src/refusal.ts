/**
 * Why a whole record is not kept. Thrown by the readers of its parts and caught once, by the collector, before anything of the
 * record has been stored.
 */
export class Refusal extends Error {
  /** Stable kebab-case reason of the `FileProblem`. */
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(detail);
    this.name = 'Refusal';
    this.reason = reason;
  }
}

// Made once: a stack trace per bad record would let a hostile file buy 10 µs of work with 17 bytes.

export const malformed = new Refusal('not-an-event', 'The record is not a well-formed event.');

export const nestedTooDeeply = new Refusal('nested-too-deeply', 'Groups in the record are nested too deeply.');

export const tooManyValues = new Refusal('too-many-values', 'The event holds too many values.');

export const badUtf8 = new Refusal('invalid-utf8', 'A name in the event is not valid UTF-8.');
