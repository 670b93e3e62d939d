import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from './client.ts';
import { memberShare, serviceShare, type Share, strangerShare, visitorShare } from './share.ts';

/** The state of a request. Its share changes once the credentials are known. */
interface ShareHolder {
  /** The client's address; empty for the service itself. */
  readonly place: string;
  share: Share;
  readonly client: Client | null;
  /** Whether waiting work is dropped when the client disconnects. */
  endsWithClient: boolean;
}

const holders = new AsyncLocalStorage<ShareHolder>();

/**
 * Runs `work`, and everything that it starts, for a caller whose credentials are not known yet.
 * `place`: an IPv4 address, or the /64 of an IPv6 address. `client` waits for the response.
 */
export function runForStranger<T>(place: string, work: () => T, client: Client | null = null): T {
  return holders.run({ place, share: strangerShare(place), client, endsWithClient: false }, work);
}

/**
 * Runs `work` for the service itself: timers, and lookups that one request starts and many requests
 * use.
 */
export function runForService<T>(work: () => T): T {
  return holders.run({ place: '', share: serviceShare, client: null, endsWithClient: false }, work);
}

/** Runs `work`, and everything that it starts, for a share that was saved earlier. */
export function runForShare<T>(share: Share, work: () => T): T {
  return holders.run({ place: '', share, client: null, endsWithClient: false }, work);
}

/**
 * Runs `work` for the current share, and finishes it even if the client disconnects, because other
 * requests use its result, or because it writes a record that must not be lost.
 */
export function runToEnd<T>(work: () => T): T {
  const holder = holders.getStore();
  return holder?.client ? holders.run({ ...holder, client: null }, work) : work();
}

/**
 * From now on, the current request's waiting work is dropped when its client disconnects. For
 * read-only requests.
 */
export function endWithClient(): void {
  const holder = holders.getStore();
  if (holder) holder.endsWithClient = true;
}

/** The client whose disconnection ends the current work; null if the work always finishes. */
export function currentClient(): Client | null {
  const holder = holders.getStore();
  return holder?.endsWithClient ? holder.client : null;
}

/**
 * Assigns the current request to a workspace. `account`: the person who is responsible for it. Does
 * nothing outside requests.
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
