/** Why a block was rejected. */
export type BadBlockReason = 'unknown-version' | 'too-large' | 'damaged';

/** Thrown if the bytes are not a block that this version can decode within the caller's bounds. */
export class BadBlock extends Error {
  override readonly name = 'BadBlock';
  readonly reason: BadBlockReason;

  constructor(reason: BadBlockReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export function damaged(detail: string): BadBlock {
  return new BadBlock('damaged', `The block is damaged: ${detail}.`);
}
