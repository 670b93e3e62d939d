/**
 * The credential that creates another credential. The new credential ends when its creator ends.
 */
export interface Creator {
  /** The creator's access token, even if used through a JWT or a session. Null if there is none. */
  readonly tokenId: string | null;
  /** When the creator expires. Null means never. */
  readonly until: Date | null;
}

/** The creator if it is the service or a person who signed in through a provider. */
export const noCreator: Creator = { tokenId: null, until: null };
