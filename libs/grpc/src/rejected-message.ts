import { Problem } from '#model';

/**
 * Replaces a message that cannot be accepted: the error is reported only to callers who may send
 * messages at all.
 */
export class RejectedMessage {
  readonly problem: Problem;

  constructor(problem: Problem) {
    this.problem = problem;
  }
}

/** Reads a message of at most `maxBytes`; never throws. */
export function readMessage<T>(bytes: Buffer, maxBytes: number, decode: (bytes: Buffer) => T): T | RejectedMessage {
  if (bytes.length > maxBytes) {
    return new RejectedMessage(new Problem('body-too-large', `The message has ${bytes.length} bytes; the limit is ${maxBytes}.`));
  }
  try {
    return decode(bytes);
  } catch (error) {
    return new RejectedMessage(
      error instanceof Problem ? error : new Problem('bad-request', 'The message cannot be read.', { cause: error }),
    );
  }
}
