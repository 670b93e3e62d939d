import { measureRound } from './metrics.ts';

/** How {@link Rounds} repeat. */
export interface RoundsOptions {
  /** The rounds' name in metrics and traces. */
  readonly name: string;
  /** Milliseconds from the start to the first round; 0 by default. */
  readonly firstAfterMs?: number;
  /** Milliseconds from the end of a round, which took `tookMs`, to the next round. */
  readonly pauseMs: (tookMs: number) => number;
  /** Called with the error of a failed round; the next round follows as usual. Must not throw. */
  readonly onError: (error: unknown) => void;
}

/**
 * Repeats a piece of work until it is closed, one round at a time, with a pause after each. Rounds
 * are measured, and failed rounds are counted.
 *
 * ```
 *  new ──start──▶ round ──▶ pause ──▶ round ──close──▶ ended, once a round that runs has ended
 *                             └─now─▶ one more round; the pause goes on
 * ```
 *
 * ```ts
 * const errors: unknown[] = [];
 * let rounds = 0;
 * const work = async () => {
 *   if (++rounds === 1) throw new Error('away');
 * };
 * const hourly = new Rounds(work, { name: 'example', pauseMs: every(3_600_000), onError: (error) => errors.push(error) });
 * hourly.start();
 * await Promise.all([hourly.now(), hourly.now()]); // both wait for the round that runs
 * assert.equal(rounds, 1);
 * await hourly.now(); // does not wait for the pause, and a failed round does not end the others
 * assert.equal(rounds, 2);
 * assert.equal(errors.length, 1);
 * await hourly.close();
 * ```
 */
export class Rounds {
  readonly #work: () => Promise<void>;
  readonly #options: RoundsOptions;
  #state: 'new' | 'started' | 'closing' = 'new';
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;

  constructor(work: () => Promise<void>, options: RoundsOptions) {
    this.#work = work;
    this.#options = options;
  }

  /** Starts the rounds, once. */
  start(): void {
    const { name, firstAfterMs = 0 } = this.#options;
    if (this.#state !== 'new') throw new Error(`the rounds of ${name} were already ${this.#state === 'started' ? 'started' : 'closed'}`);
    this.#state = 'started';
    if (firstAfterMs > 0) this.#pause(firstAfterMs);
    else void this.#next();
  }

  /**
   * Runs a round before the pause ends, or joins the running round; resolves when the round has
   * ended. Never rejects. Also works before the start and after the end.
   */
  now(): Promise<void> {
    return (this.#running ??= this.#round());
  }

  /** Whether no more rounds start: work in progress should end soon. */
  get isClosing(): boolean {
    return this.#state === 'closing';
  }

  /** Starts no further rounds; resolves when the running round has ended. Idempotent. */
  async close(): Promise<void> {
    this.#state = 'closing';
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
  }

  /** The pause is started here, not in `now`: timers inherit the context of the caller's request. */
  async #next(): Promise<void> {
    const since = performance.now();
    await this.now();
    if (this.#state === 'started') this.#pause(this.#options.pauseMs(performance.now() - since));
  }

  #pause(ms: number): void {
    this.#timer = setTimeout(() => void this.#next(), ms);
  }

  async #round(): Promise<void> {
    try {
      await measureRound(this.#options.name, this.#work);
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#running = null;
    }
  }
}

/**
 * The pauses between rounds that start every `everyMs`; a round that takes longer skips the starts
 * that it misses.
 */
export function every(everyMs: number): (tookMs: number) => number {
  return (tookMs) => everyMs - (tookMs % everyMs);
}
