import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { currentRequestEnded } from '#http';
import { isPart, limits, Problem, type View } from '#model';
import {
  type DeletionProgress,
  type Frontier,
  frontierChannel,
  listRunStates,
  readDeletionProgress,
  readFrontier,
  type RunState,
  Store,
} from '#store';

/** One look at an experiment, shared by all who watch it. */
export interface Look {
  readonly frontier: Frontier;
  readonly deletions: DeletionProgress;
  /** The runs that a view shows (null: all, read once), when somebody asks; not before `frontier`. */
  runs(view: View | null): Promise<readonly RunState[]>;
}

/** Told of each look: null once the experiment is gone. A failed look tells nobody; the next one will. */
type Listener = (look: Look | null) => void;

interface Watched {
  readonly tenantId: string;
  readonly experimentId: string;
  readonly listeners: Set<Listener>;
  /** Looks at once, or, during a look, once more right after it. */
  look(): void;
  stop(): void;
}

/**
 * Watches the frontiers of experiments for whoever waits for them: one look for all listeners of an experiment, at each notification of
 * Postgres and every 250 ms.
 */
@Injectable()
export class FrontierWatch implements OnModuleDestroy {
  readonly #store: Store;
  readonly #watched = new Map<string, Watched>();
  readonly #closing = new AbortController();
  /** Notifications may be lost, so everybody who waits also polls. */
  protected readonly pollMs: number = 250;
  /** A guess: some megabytes. One workspace has at most half of what the others leave, so that not even several of them keep all others out. */
  protected readonly most: number = 2_000;
  #listening: Promise<() => Promise<void>> | null = null;
  #listeners = 0;
  readonly #inTenant = new Map<string, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** How many wait or stream. */
  get listeners(): number {
    return this.#listeners;
  }

  /** Aborted when the service ends: whoever streams ends then. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Resolves with the frontier once it has reached `epoch`; rejects with `not-visible-yet` after `timeoutMs`, and with `experiment-not-found` when
   * the experiment is gone. The caller has checked that it may be seen; `known` is what it saw then. A client that hangs up waits no longer.
   */
  waitFor(
    tenantId: string,
    experimentId: string,
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
      const ends = [this.closing, currentRequestEnded()].filter((signal) => signal !== undefined);
      for (const signal of ends) signal.addEventListener('abort', onTimeout);
      if (ends.some(({ aborted }) => aborted)) onTimeout();
    });
  }

  /** Calls the listener soon, and at each look from then on. Returns what ends it. Throws `rate-limited` when too many listen. */
  subscribe(tenantId: string, experimentId: string, listener: Listener): () => void {
    const inTenant = this.#inTenant.get(tenantId) ?? 0;
    const left = this.most - (this.#listeners - inTenant);
    if (inTenant + 1 > Math.ceil(left / 2))
      throw new Problem('rate-limited', 'Too many requests are waiting for this service; try again in a moment.');
    this.#listen();
    const key = `${tenantId} ${experimentId}`;
    const watched = this.#watched.get(key) ?? this.#watch(key, tenantId, experimentId);
    watched.listeners.add(listener);
    this.#count(tenantId, 1);
    watched.look();
    return () => {
      if (!watched.listeners.delete(listener)) return;
      this.#count(tenantId, -1);
      if (watched.listeners.size > 0) return;
      watched.stop();
      this.#watched.delete(key);
    };
  }

  #count(tenantId: string, change: 1 | -1): void {
    this.#listeners += change;
    const inTenant = (this.#inTenant.get(tenantId) ?? 0) + change;
    if (inTenant > 0) this.#inTenant.set(tenantId, inTenant);
    else this.#inTenant.delete(tenantId);
  }

  async onModuleDestroy(): Promise<void> {
    this.#closing.abort();
    for (const watched of this.#watched.values()) watched.stop();
    const stop = await this.#listening?.catch(() => null); // it never came to listen: nothing to end
    await stop?.();
  }

  #watch(key: string, tenantId: string, experimentId: string): Watched {
    const listeners = new Set<Listener>();
    let looking = false;
    let again = false;
    const look = (): void => {
      if (looking) {
        again = true;
        return;
      }
      looking = true;
      again = false;
      this.#store
        .withTenant(
          tenantId,
          async (trx) => {
            const frontier = await readFrontier(trx, tenantId, experimentId);
            return frontier && { frontier, deletions: await readDeletionProgress(trx, tenantId, experimentId) };
          },
          { readOnly: true, isolation: 'repeatable read' },
        )
        .then(
          (seen) => {
            let runs: Promise<RunState[]> | null = null;
            const readRuns = (view: View | null) =>
              this.#store.withTenant(tenantId, (trx) => listRunStates(trx, tenantId, experimentId, view), { readOnly: true });
            const shared = seen && { ...seen, runs: (view: View | null) => (isPart(view) ? readRuns(view) : (runs ??= readRuns(null))) };
            [...listeners].forEach((listener) => listener(shared));
          },
          () => undefined, // the store is away: the next look tells
        )
        .finally(() => {
          looking = false;
          if (again && listeners.size > 0) look();
        });
    };
    const timer = setInterval(look, this.pollMs);
    const watched: Watched = { tenantId, experimentId, listeners, look, stop: () => clearInterval(timer) };
    this.#watched.set(key, watched);
    return watched;
  }

  /** Listens from the first waiter on; without it (the store is away), polling alone serves, and the next waiter tries again. */
  #listen(): void {
    this.#listening ??= this.#store.listen(frontierChannel, (experimentId) => {
      for (const watched of this.#watched.values()) if (watched.experimentId === experimentId) watched.look();
    });
    this.#listening.catch(() => {
      this.#listening = null;
    });
  }
}

function notVisibleYet(epoch: number, frontier: Frontier | null): Problem {
  return new Problem(
    'not-visible-yet',
    `Epoch ${epoch} is not visible yet${frontier ? `: the frontier is at ${frontier.epoch} of ${frontier.acknowledgedEpoch}` : ''}. Ask again.`,
    {
      extra: frontier ? { epoch: frontier.epoch, acknowledged_epoch: frontier.acknowledgedEpoch } : {},
    },
  );
}
