import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { currentShare, FairQueue, runForService, runForShare, runToEnd } from '#admission';
import { currentRequestEnded } from '#http';
import { type ExperimentId, isPart, limits, Problem, type TenantId, type View } from '#model';
import {
  type DeletionProgress,
  type Frontier,
  frontierChannel,
  listRunStates,
  notifyListeners,
  readDeletionProgress,
  readFrontier,
  readWatchedStates,
  type WatchedRun,
  Store,
  type TenantScope,
} from '#store';

/** A reading of an experiment, shared by all its watchers. */
export interface Look {
  readonly frontier: Frontier;
  readonly deletions: DeletionProgress;
  /**
   * The runs that a view shows (null means all, which are read once), on demand. Requires a
   * `frontier`.
   */
  runs(view: View | null): Promise<readonly WatchedRun[]>;
}

/**
 * Called with each reading; null once the experiment is deleted. Not called after a failed reading;
 * the next reading follows.
 */
type Listener = (look: Look | null) => void;

interface Watched {
  readonly tenantId: TenantId;
  readonly experimentId: ExperimentId;
  readonly listeners: Set<Listener>;
  /** From the last poll (`readWatchedStates`); undefined before the first poll. */
  state: string | undefined;
  /**
   * When the experiment was first watched, last changed, or last mentioned in a notification, by
   * the process clock.
   */
  movedAt: number;
  /**
   * Reads immediately. If a reading is running, reads once more after that reading and a short
   * pause.
   */
  look(): void;
}

/**
 * After a slow poll, pauses for this multiple of its duration: polling never uses more than a
 * fraction of one connection.
 */
const pollPauses = 3;

/**
 * After a reading of an experiment, pauses for this multiple of its duration, up to the pause
 * between polls: while thousands of files are uploaded, an experiment changes all the time.
 */
const lookPauses = 3;

/**
 * Watches the frontiers of experiments for requests that wait for them. Makes one reading for all
 * listeners of an experiment, at each notification from Postgres and when a poll finds a change. A
 * fast poll covers all experiments that changed recently, with one statement per workspace; a slow
 * poll covers all experiments. The slow poll also sends a notification to this process: as long as
 * these arrive, no others are lost, and idle experiments cost almost nothing. If they do not arrive
 * (the connection broke, or a pooler drops them), all experiments are polled often.
 */
@Injectable()
export class FrontierWatch implements OnModuleDestroy {
  readonly #store: Store;
  readonly #watched = new Map<string, Watched>();
  /** Aborted when the service shuts down, to end waits. */
  readonly #closing = new AbortController();
  /** Pause between polls, in milliseconds. Polls are needed because notifications can be lost. */
  protected readonly pollMs: number = 250;
  /** Pause between polls of all experiments, while notifications arrive. */
  protected readonly idlePollMs: number = 2_000;
  /** How long an experiment is polled often after a change. */
  protected readonly livelyMs: number = 5_000;
  /** Maximum listeners in the process: two workspaces can have a third each. */
  protected readonly max: number = 4_000;
  #places: FairQueue | null = null;
  #listening: Promise<() => Promise<void>> | null = null;
  #polling: NodeJS.Timeout | null = null;
  /** The notification that this process sends to itself, and when it was sent and last arrived. */
  readonly #beat = randomUUID();
  #beatSentAt = -Infinity;
  #beatHeardAt = -Infinity;
  #polledAllAt = -Infinity;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The number of waiting or streaming listeners. */
  get listeners(): number {
    return this.#places?.taken ?? 0;
  }

  /**
   * Resolves with the frontier once it has reached `epoch`; rejects with `not-visible-yet` after
   * `timeoutMs`, and with `experiment-not-found` if the experiment is deleted. The caller must have
   * checked access; `known` is the frontier that it read at that time. Stops waiting when the
   * client disconnects.
   */
  waitFor(
    tenantId: TenantId,
    experimentId: ExperimentId,
    epoch: number,
    timeoutMs: number,
    gone: () => Problem,
    known: Frontier | null = null,
  ): Promise<Frontier> {
    return new Promise((resolve, reject) => {
      let last = known;
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        unsubscribe();
        for (const signal of ends) signal.removeEventListener('abort', onTimeout);
        settle();
      };
      const onTimeout = (): void => finish(() => reject(notVisibleYet(epoch, last)));
      const unsubscribe = this.subscribe(tenantId, experimentId, (look) => {
        if (look === null) return finish(() => reject(gone()));
        const frontier = (last = look.frontier);
        if (frontier.epoch >= epoch) finish(() => resolve(frontier));
      });
      const timer = setTimeout(onTimeout, Math.min(timeoutMs, limits.maxWaitSeconds * 1000));
      const ends = [this.#closing.signal, currentRequestEnded()].filter((signal) => signal !== undefined);
      for (const signal of ends) signal.addEventListener('abort', onTimeout);
      if (ends.some(({ aborted }) => aborted)) onTimeout();
    });
  }

  /**
   * Calls the listener soon, and after each change. Returns a function that unsubscribes. Throws
   * `rate-limited` if the caller's share has too many listeners.
   */
  subscribe(tenantId: TenantId, experimentId: ExperimentId, listener: Listener): () => void {
    this.#places ??= new FairQueue('listeners', this.max);
    const permit = this.#places.tryTake(currentShare());
    if (!permit) throw new Problem('rate-limited', 'Too many of your requests are already waiting. Try again in a moment.');
    this.#listen();
    const key = `${tenantId} ${experimentId}`;
    const watched = this.#watched.get(key) ?? this.#watch(key, tenantId, experimentId);
    watched.listeners.add(listener);
    watched.look();
    return () => {
      if (!watched.listeners.delete(listener)) return;
      permit.release();
      if (watched.listeners.size === 0) this.#watched.delete(key);
    };
  }

  async onModuleDestroy(): Promise<void> {
    this.#closing.abort();
    if (this.#polling) clearTimeout(this.#polling);
    const stop = await this.#listening?.catch(() => null); // it never started to listen: nothing to stop
    await stop?.();
  }

  /** Each reading is charged to the share of the first watcher. */
  #watch(key: string, tenantId: TenantId, experimentId: ExperimentId): Watched {
    const listeners = new Set<Listener>();
    const share = currentShare();
    let looking = false;
    let again = false;
    const look = (): void => {
      if (looking) {
        again = true;
        return;
      }
      looking = true;
      again = false;
      const since = performance.now();
      runForShare(share, () => this.#look(tenantId, experimentId))
        .then(
          (seen) => [...listeners].forEach((listener) => listener(seen)),
          () => {
            watched.state = undefined; // the database is down: the next poll reads again
          },
        )
        .finally(() => {
          const rest = Math.min(lookPauses * (performance.now() - since), this.pollMs);
          setTimeout(() => {
            looking = false;
            if (again && listeners.size > 0) look();
          }, rest).unref();
        });
    };
    const watched: Watched = { tenantId, experimentId, listeners, state: undefined, movedAt: performance.now(), look };
    this.#watched.set(key, watched);
    this.#pollAfter(this.pollMs);
    return watched;
  }

  async #look(tenantId: TenantId, experimentId: ExperimentId): Promise<Look | null> {
    const seen = await this.#store.withTenant(
      tenantId,
      async (scope) => {
        const frontier = await readFrontier(scope, experimentId);
        return frontier && { frontier, deletions: await readDeletionProgress(scope, experimentId) };
      },
      { readOnly: true, isolation: 'repeatable read' },
    );
    let runs: Promise<WatchedRun[]> | null = null;
    const readRuns = (view: View | null) =>
      runToEnd(() => this.#store.withTenant(tenantId, (scope) => listRunStates(scope, experimentId, view), { readOnly: true }));
    return seen && { ...seen, runs: (view) => (isPart(view) ? readRuns(view) : (runs ??= readRuns(null))) };
  }

  #pollAfter(ms: number): void {
    if (this.#closing.signal.aborted) return;
    this.#polling ??= runForService(() => setTimeout(() => void this.#poll(), ms).unref());
  }

  /** Reads what has changed since the last poll. */
  async #poll(): Promise<void> {
    const since = performance.now();
    const isHeard = since - this.#beatHeardAt < 2.5 * this.idlePollMs;
    const all = !isHeard || since - this.#polledAllAt >= this.idlePollMs;
    if (all) this.#polledAllAt = since;
    const due = [...this.#watched.values()].filter(({ movedAt }) => all || since - movedAt < this.livelyMs);
    for (const [tenantId, watched] of Map.groupBy(due, (one) => one.tenantId)) {
      const ids = watched.map(({ experimentId }) => experimentId);
      const read = async (scope: TenantScope): Promise<Map<string, string>> => {
        if (since - this.#beatSentAt >= this.idlePollMs) {
          this.#beatSentAt = since;
          await notifyListeners(scope, this.#beat);
        }
        return readWatchedStates(scope, ids);
      };
      const states = await this.#store.withTenant(tenantId, read, { readOnly: true }).catch(() => null); // the database is down: the next poll reports it
      if (states === null) continue;
      for (const one of watched) {
        const state = states.get(one.experimentId) ?? 'gone';
        if (one.state === state) continue;
        one.state = state;
        one.movedAt = since;
        one.look();
      }
    }
    this.#polling = null;
    if (this.#watched.size > 0) this.#pollAfter(Math.max(this.pollMs, pollPauses * (performance.now() - since)));
  }

  /**
   * Subscribes when there is a waiter. If that fails (the database is down), polling continues and
   * the next waiter retries.
   */
  #listen(): void {
    this.#listening ??= runForService(() =>
      this.#store.listen(frontierChannel, (experimentId) => {
        const heardAt = performance.now();
        if (experimentId === this.#beat) this.#beatHeardAt = heardAt;
        for (const watched of this.#watched.values()) {
          if (watched.experimentId !== experimentId) continue;
          watched.movedAt = heardAt;
          watched.look();
        }
      }),
    );
    this.#listening.catch(() => {
      this.#listening = null;
    });
  }
}

function notVisibleYet(epoch: number, frontier: Frontier | null): Problem {
  return new Problem(
    'not-visible-yet',
    `Epoch ${epoch} is not visible yet${frontier ? `: the frontier is at ${frontier.epoch} of ${frontier.acknowledgedEpoch}` : ''}. Try again.`,
    {
      extra: frontier ? { epoch: frontier.epoch, acknowledged_epoch: frontier.acknowledgedEpoch } : {},
    },
  );
}
