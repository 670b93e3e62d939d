import { setTimeout as sleep } from 'node:timers/promises';
import type { ExperimentId, TenantId } from '#model';
import { readQuietExperiments, readUnheardExperiments, type Store, claimMaintenance } from '#store';
import { every, observePublishDelay, Rounds } from '#telemetry';
import { PublishDelays } from './publish-delays.ts';
import { publishEpochs, type PublishOptions } from './publish-epochs.ts';

/** Settings of a {@link Publisher}. */
export interface PublisherOptions extends PublishOptions {
  /** How often it checks for unpublished batches. */
  readonly everyMs?: number;
  /**
   * How often one process at a time recounts experiments that have outstanding work but no batches.
   * This heals damage that nothing else reveals.
   */
  readonly checkEveryMs?: number;
  readonly onError: (error: unknown) => void;
}

const maxAtOnce = 2;
/**
 * Publications up to this duration count as short and come from live runs. Longer ones come from
 * bursts of files.
 */
const shortMs = 50;
/**
 * After a long publication, the publisher pauses for this multiple of its duration, but at most
 * `maxRestMs`.
 */
const restFactor = 3;
const maxRestMs = 100;
const maxExperimentsPerRound = 1_000;
/**
 * How long to wait for another process' publication. It takes a few milliseconds, and may have
 * missed batches that arrived in the meantime.
 */
const busyPausesMs = [2, 4, 8, 16, 32];

interface Task {
  readonly tenantId: TenantId;
  readonly experimentId: ExperimentId;
  rebuild: boolean;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Publishes for ingest: directly after a commit when notified, and through a check of the channel
 * every 250 ms. The check finds batches whose worker died before it could notify. Any number of
 * processes can do this, because the view's row is the lock. For each experiment, one publication
 * runs at a time. A pause follows that is as long as the publication, or three times as long if the
 * publication took long. Requests that arrive in the meantime are combined into one publication
 * after the pause. So a busy experiment costs little more than a quiet one, and waits for
 * milliseconds.
 */
export class Publisher {
  readonly #store: Store;
  readonly #options: Required<Omit<PublisherOptions, 'onHealed'>> & Pick<PublisherOptions, 'onHealed'>;
  readonly #waiting = new Map<string, Task>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #delays = new PublishDelays(observePublishDelay);
  /** Experiments that were recently published. */
  readonly #resting = new Set<string>();
  readonly #rounds: Rounds;
  #closing = false;

  constructor(store: Store, options: PublisherOptions) {
    this.#store = store;
    this.#options = { everyMs: 250, checkEveryMs: 15_000, ...options };
    const { everyMs, onError } = this.#options;
    this.#rounds = new Rounds(() => this.round(), { name: 'publish', pauseMs: every(everyMs), onError });
  }

  /**
   * Resolves when everything that was committed before the call is published, or when publishing
   * failed, in which case the rounds retry. Never rejects.
   */
  publish(tenantId: TenantId, experimentId: ExperimentId, { rebuild = false } = {}): Promise<void> {
    const key = `${tenantId}/${experimentId}`;
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.rebuild ||= rebuild;
      return waiting.done.promise;
    }
    const task: Task = { tenantId, experimentId, rebuild, done: Promise.withResolvers<void>() };
    this.#waiting.set(key, task);
    this.#next();
    return task.done.promise;
  }

  /** Checks the channel immediately and then periodically, one round at a time. */
  start(): void {
    this.#rounds.start();
  }

  /** Checks the channel once. */
  async round(): Promise<void> {
    const { checkEveryMs } = this.#options;
    const unheard = await readUnheardExperiments(this.#store.sweeper, maxExperimentsPerRound);
    await Promise.all(unheard.map(({ tenantId, experimentId }) => this.publish(tenantId, experimentId)));
    if (!this.#isCheckDue() || !(await claimMaintenance(this.#store.global, 'progress', checkEveryMs))) return;
    const quiet = await readQuietExperiments(this.#store.sweeper, checkEveryMs, maxExperimentsPerRound);
    await Promise.all(quiet.map(({ tenantId, experimentId }) => this.publish(tenantId, experimentId, { rebuild: true })));
  }

  /** Starts no further rounds. Resolves when the requested publications are done. */
  async close(): Promise<void> {
    await this.#rounds.close();
    this.#closing = true;
    await Promise.all([...[...this.#waiting.values()].map(({ done }) => done.promise), ...this.#running.values()]);
  }

  #checkAt = 0;

  /** Claiming the check costs a write, so a process tries only when the check is due. */
  #isCheckDue(): boolean {
    if (performance.now() < this.#checkAt) return false;
    this.#checkAt = performance.now() + this.#options.checkEveryMs;
    return true;
  }

  #next(): void {
    // Newly committed batches come before mere recounts.
    const [counted, committed] = [true, false].map((rebuild) => [...this.#waiting].filter(([, task]) => task.rebuild === rebuild));
    for (const [key, task] of [...committed!, ...counted!]) {
      if (this.#running.size >= maxAtOnce) return;
      if (this.#running.has(key) || this.#resting.has(key)) continue;
      this.#waiting.delete(key);
      const began = performance.now();
      this.#running.set(
        key,
        this.#publish(task).finally(() => {
          this.#running.delete(key);
          this.#rest(key, restMsAfter(performance.now() - began));
          task.done.resolve();
          this.#next();
        }),
      );
    }
  }

  #rest(key: string, ms: number): void {
    this.#resting.add(key);
    setTimeout(() => {
      this.#resting.delete(key);
      this.#next();
    }, ms);
  }

  async #publish({ tenantId, experimentId, rebuild }: Task): Promise<void> {
    try {
      for (const pauseMs of [0, ...busyPausesMs]) {
        if (pauseMs > 0) await sleep(pauseMs);
        const outcome = await publishEpochs(this.#store, tenantId, experimentId, this.#options, { rebuild });
        if (outcome.kind === 'published') this.#delays.note(`${tenantId}/${experimentId}`, outcome);
        if (outcome.kind === 'published' || this.#closing) return;
      }
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

/** The pause after a publication of this duration, both in milliseconds. */
function restMsAfter(durationMs: number): number {
  return durationMs <= shortMs ? durationMs : Math.min(restFactor * durationMs, maxRestMs);
}
