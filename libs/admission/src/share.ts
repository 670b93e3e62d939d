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
   * The maximum fraction, from 0 to 1, that one account may use of the part that the others leave.
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
 * Members of a workspace. `account`: the person who is responsible for it, so many workspaces of
 * one person are one share.
 */
export function memberShare(account: string): Share {
  return { class: 'members', accounts: [`members ${account}`] };
}

/**
 * Visitors of a workspace: separate from its members, and each address separate from the others.
 */
export function visitorShare(account: string, place: string): Share {
  return { class: 'visitors', accounts: [`visitors ${account}`, `visitor ${place}`] };
}

/**
 * A caller without credentials, or before they are checked. `place`: an IPv4 address, or the /64 of
 * an IPv6 address.
 */
export function strangerShare(place: string): Share {
  return { class: 'strangers', accounts: ['strangers', `stranger ${place}`] };
}
