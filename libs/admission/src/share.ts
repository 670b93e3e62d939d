/** The class of a caller. Metrics distinguish only these classes. */
export const shareClasses = ['service', 'members', 'visitors', 'strangers'] as const;
export type ShareClass = (typeof shareClasses)[number];

/** Identifies a user of the service for fair division. */
export interface Share {
  readonly class: ShareClass;
  /**
   * The accounts that the work is charged to, widest first. Empty for the service itself, which is
   * never limited.
   */
  readonly accounts: readonly string[];
}

/** The rule of a class. */
interface ClassRule {
  /** The weight: permits in use are divided by it when shares are compared. */
  readonly weight: number;
  /**
   * How much of the units left by other accounts one account may use, as a fraction from 0 to 1.
   */
  readonly portion: number;
}

/**
 * Guesses, checked by the abuse matrix (test/abuse). All strangers share one account, and so do all
 * visitors of a person's workspaces.
 */
export const classRules: Readonly<Record<ShareClass, ClassRule>> = {
  service: { weight: Infinity, portion: 1 },
  members: { weight: 2, portion: 0.75 },
  visitors: { weight: 1, portion: 0.5 },
  strangers: { weight: 2, portion: 0.5 },
};

/** The share of the service's own work. */
export const serviceShare: Share = { class: 'service', accounts: [] };

/**
 * Members of a workspace. `account`: the person who is responsible for it, so all workspaces of one
 * person count as one share.
 */
export function memberShare(account: string): Share {
  return { class: 'members', accounts: [`members ${account}`] };
}

/**
 * Visitors of a workspace. They are separate from its members, and each address is separate from
 * the others.
 */
export function visitorShare(account: string, place: string): Share {
  return { class: 'visitors', accounts: [`visitors ${account}`, `visitor ${place}`] };
}

/**
 * A caller without credentials, or with credentials that are not checked yet. `place`: an IPv4
 * address, or the /64 of an IPv6 address.
 */
export function strangerShare(place: string): Share {
  return { class: 'strangers', accounts: ['strangers', `stranger ${place}`] };
}
