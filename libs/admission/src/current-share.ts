import { AsyncLocalStorage } from 'node:async_hooks';
import { memberShare, serviceShare, type Share, strangerShare, visitorShare } from './share.ts';

/** The state of a request: its share changes once its credentials are known. */
interface ShareHolder {
  /** The client's place; empty: the service itself. */
  readonly place: string;
  share: Share;
}

const holders = new AsyncLocalStorage<ShareHolder>();

/**
 * Runs `work`, and everything that it starts, for a caller whose credentials are not known yet.
 * `place`: an IPv4 address, or the /64 of an IPv6 address.
 */
export function runForStranger<T>(place: string, work: () => T): T {
  return holders.run({ place, share: strangerShare(place) }, work);
}

/** Runs `work` for the service itself: timers and lookups that one request starts and many use. */
export function runForService<T>(work: () => T): T {
  return holders.run({ place: '', share: serviceShare }, work);
}

/** Runs `work`, and everything that it starts, for a share that was saved earlier. */
export function runForShare<T>(share: Share, work: () => T): T {
  return holders.run({ place: '', share }, work);
}

/**
 * Assigns the current request to a workspace. `account`: the person who is responsible for it. Does
 * nothing outside of requests.
 */
export function becomeCaller(account: string, as: 'member' | 'visitor'): void {
  const holder = holders.getStore();
  if (!holder || holder.share === serviceShare) return;
  holder.share = as === 'member' ? memberShare(account) : visitorShare(account, holder.place);
}

/** The share of the current work. */
export function currentShare(): Share {
  return holders.getStore()?.share ?? serviceShare;
}
