import { countShareRejection, observeWait } from '#telemetry';
import { ClientGone } from './client.ts';
import { currentClient } from './current-share.ts';
import { classRules, type Share } from './share.ts';

/** A right to use some units of a resource. */
export interface Permit {
  /** Reduces the permit to at most this many units. */
  shrinkTo(units: number): void;
  /** Idempotent. */
  release(): void;
}

/** A request that is waiting for its permit. */
export interface Waiting {
  cancel(): void;
}

interface Request {
  readonly share: Share;
  readonly units: number;
  readonly since: number;
  readonly onPermit: (permit: Permit) => void;
}

interface Account {
  held: number;
  /** Number of waiting requests. */
  waiting: number;
  /** When it last got a permit, as the number of permits granted before. */
  servedAt: number;
  readonly isWidest: boolean;
}

/**
 * Divides a resource (connections, bytes, a thread) among shares. The next permit goes to the
 * waiting share that holds the least relative to its weight; ties go to the share served least
 * recently. Within a share, requests are served in order of arrival. Accounts are compared from the
 * widest to the narrowest.
 *
 * A share that is alone can get its class's portion of everything. If n shares request permits,
 * each can get at least an (n + 1)th, so that a newcomer finds the same amount free. An account
 * that holds nothing can take the last free unit.
 *
 * ```ts
 * import { memberShare } from './share.ts';
 *
 * const queue = new FairQueue('threads', 2);
 * const served: string[] = [];
 * const permits = [queue.tryTake(memberShare('ann')), queue.tryTake(memberShare('ben'))];
 * for (const name of ['ann', 'ann', 'eve'])
 *   queue.enter(memberShare(name), 1, (permit) => {
 *     served.push(name);
 *     permit.release();
 *   });
 * permits[0]?.release();
 * assert.deepEqual(served, ['eve', 'ann', 'ann']); // eve came last, but was never served
 * ```
 */
export class FairQueue {
  readonly #name: string;
  readonly #capacity: number;
  readonly #accounts = new Map<string, Account>();
  /** Waiting requests by share, in order of arrival. */
  readonly #waiting = new Map<string, Set<Request>>();
  /** Number of widest accounts that hold or request something. */
  #payers = 0;
  #taken = 0;
  #served = 0;

  /** `name`: the name in metrics. `capacity`: in units of the resource. */
  constructor(name: string, capacity: number) {
    this.#name = name;
    this.#capacity = capacity;
  }

  /** Units in use. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Returns a permit, or null if the share has to wait. A request for more units than exist is
   * reduced to all units.
   */
  tryTake(share: Share, units = 1): Permit | null {
    const wanted = Math.min(units, this.#capacity);
    if (this.#fits(share, wanted) && !this.#hasWaiting(share)) return this.#grant(share, wanted);
    countShareRejection(this.#name, share.class);
    return null;
  }

  /** Calls `onPermit` when the share gets a permit, which may be immediately. */
  enter(share: Share, units: number, onPermit: (permit: Permit) => void): Waiting {
    const wanted = Math.min(units, this.#capacity);
    if (this.#fits(share, wanted) && !this.#hasWaiting(share)) {
      onPermit(this.#grant(share, wanted));
      return { cancel: () => undefined };
    }
    const request: Request = { share, units: wanted, since: performance.now(), onPermit };
    this.#add(request);
    return { cancel: () => this.#remove(request) };
  }

  /**
   * Waits for a permit. Rejects with the signal's reason if the signal is aborted first, and with
   * {@link ClientGone} if nobody waits for the result anymore. `signal` is called only if the share
   * has to wait, because a timeout costs more than a permit.
   */
  take(share: Share, units: number, signal?: () => AbortSignal): Promise<Permit> {
    const client = currentClient();
    if (client?.isGone) return Promise.reject(new ClientGone());
    return new Promise((resolve, reject) => {
      let until: AbortSignal | null = null;
      let unwatch: (() => void) | null = null;
      let isGranted = false;
      const stop = (): void => {
        until?.removeEventListener('abort', giveUp);
        unwatch?.();
      };
      const drop = (reason: Error): void => {
        stop();
        waiting.cancel();
        reject(reason);
      };
      const giveUp = (): void => {
        countShareRejection(this.#name, share.class);
        drop(until!.reason as Error);
      };
      const waiting = this.enter(share, units, (permit) => {
        isGranted = true;
        stop();
        resolve(permit);
      });
      if (isGranted) return;
      if (client) unwatch = client.onGone(() => drop(new ClientGone()));
      if (!signal) return;
      until = signal();
      if (until.aborted) giveUp();
      else until.addEventListener('abort', giveUp, { once: true });
    });
  }

  #grant(share: Share, units: number): Permit {
    this.#change(share, units);
    this.#served++;
    for (const name of share.accounts) this.#account(name, share).servedAt = this.#served;
    let kept = units;
    const shrinkTo = (rest: number): void => {
      if (rest >= kept) return;
      this.#change(share, rest - kept);
      kept = rest;
      this.#serveWaiting();
    };
    return { shrinkTo, release: () => shrinkTo(0) };
  }

  #serveWaiting(): void {
    while (this.#waiting.size > 0) {
      const next = this.#next();
      if (next === null) return;
      this.#remove(next);
      observeWait(this.#name, next.share.class, (performance.now() - next.since) / 1_000);
      next.onPermit(this.#grant(next.share, next.units));
    }
  }

  /** The first request of the next share; null if no waiting request fits. */
  #next(): Request | null {
    let best: Request | null = null;
    for (const requests of this.#waiting.values()) {
      const [first] = requests;
      if (first && this.#fits(first.share, first.units) && (best === null || this.#isBefore(first.share, best.share))) best = first;
    }
    return best;
  }

  #isBefore(one: Share, other: Share): boolean {
    const depth = Math.min(one.accounts.length, other.accounts.length);
    for (let i = 0; i < depth; i++) {
      const [a, b] = [this.#account(one.accounts[i]!, one), this.#account(other.accounts[i]!, other)];
      if (a === b) continue;
      const difference = a.held / classRules[one.class].weight - b.held / classRules[other.class].weight;
      if (difference !== 0) return difference < 0;
      if (a.servedAt !== b.servedAt) return a.servedAt < b.servedAt;
    }
    return one.accounts.length < other.accounts.length;
  }

  #fits(share: Share, units: number): boolean {
    if (this.#taken + units > this.#capacity) return false;
    const portion = classRules[share.class].portion;
    return share.accounts.every((name) => {
      const held = this.#accounts.get(name)?.held ?? 0;
      const limit = Math.max(portion * (this.#capacity - (this.#taken - held)), this.#capacity / (this.#payers + 1));
      return held === 0 || held + units <= limit;
    });
  }

  #hasWaiting(share: Share): boolean {
    return this.#waiting.has(keyOf(share));
  }

  #add(request: Request): void {
    const key = keyOf(request.share);
    const requests = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, requests.add(request));
    for (const name of request.share.accounts) this.#account(name, request.share).waiting++;
  }

  #remove(request: Request): void {
    const key = keyOf(request.share);
    const requests = this.#waiting.get(key);
    if (!requests?.delete(request)) return;
    if (requests.size === 0) this.#waiting.delete(key);
    for (const name of request.share.accounts) {
      this.#account(name, request.share).waiting--;
      this.#forget(name);
    }
  }

  #change(share: Share, units: number): void {
    this.#taken += units;
    for (const name of share.accounts) {
      this.#account(name, share).held += units;
      this.#forget(name);
    }
  }

  #account(name: string, share: Share): Account {
    let account = this.#accounts.get(name);
    if (account) return account;
    account = { held: 0, waiting: 0, servedAt: 0, isWidest: share.accounts[0] === name };
    this.#accounts.set(name, account);
    if (account.isWidest) this.#payers++;
    return account;
  }

  /** Removes an account that neither holds nor requests anything. */
  #forget(name: string): void {
    const account = this.#accounts.get(name);
    if (!account || account.held > 0 || account.waiting > 0) return;
    this.#accounts.delete(name);
    if (account.isWidest) this.#payers--;
  }
}

function keyOf(share: Share): string {
  return share.accounts.length === 1 ? share.accounts[0]! : share.accounts.join(' / ');
}
