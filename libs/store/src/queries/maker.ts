/** The credential that makes another one, which ends with it. */
export interface Maker {
  /** Its access token, also where that was used by a JWT or by a session which it began; null: it has none. */
  readonly tokenId: string | null;
  /** When it ends; null: not by itself. */
  readonly until: Date | null;
}

/** The service itself makes it, or somebody who signed in by a provider. */
export const noMaker: Maker = { tokenId: null, until: null };
