/** The credential that creates another one, which ends with it. */
export interface Creator {
  /** Its access token, even if that was used through a JWT or a session; null if there is none. */
  readonly tokenId: string | null;
  /** When it expires; null: never. */
  readonly until: Date | null;
}

/** The creator is the service, or a person who signed in through a provider. */
export const noCreator: Creator = { tokenId: null, until: null };
