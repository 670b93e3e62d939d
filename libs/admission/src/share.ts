/** Who work is done for. Metrics tell these apart, and nothing finer. */
export const shareClasses = ['service', 'members', 'visitors', 'strangers'] as const;
export type ShareClass = (typeof shareClasses)[number];

/** The part of the service that a request may use while others want it too. */
export interface Share {
  readonly class: ShareClass;
  /** The accounts that pay for the work, the widest first. Empty for the service itself, which nothing holds back. */
  readonly accounts: readonly string[];
}

/** How a class is treated. */
interface ClassRule {
  /** Permits in use count divided by this where shares are compared. */
  readonly weight: number;
  /** The most that one account holds of what the others leave, from 0 to 1. */
  readonly portion: number;
}

/** Guesses, checked by the abuse matrix (test/abuse). All strangers share one account, and so do all visitors of a person's workspaces. */
export const classRules: Readonly<Record<ShareClass, ClassRule>> = {
  service: { weight: Infinity, portion: 1 },
  members: { weight: 2, portion: 0.75 },
  visitors: { weight: 1, portion: 0.5 },
  strangers: { weight: 2, portion: 0.5 },
};

/** What the service does for itself. */
export const serviceShare: Share = { class: 'service', accounts: [] };

/** Members of a workspace. `account`: the person who answers for it, so that many workspaces of one person are one share. */
export function memberShare(account: string): Share {
  return { class: 'members', accounts: [`members ${account}`] };
}

/** Visitors of a workspace: apart from its members, and each address apart from the others. */
export function visitorShare(account: string, place: string): Share {
  return { class: 'visitors', accounts: [`visitors ${account}`, `visitor ${place}`] };
}

/** A caller without credentials, or before they are checked. `place`: an IPv4 address, or the /64 of an IPv6 address. */
export function strangerShare(place: string): Share {
  return { class: 'strangers', accounts: ['strangers', `stranger ${place}`] };
}
