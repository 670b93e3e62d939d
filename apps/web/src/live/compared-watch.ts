import { mayRetry } from '../api/problem.ts';
import type { FrontierJson } from '../api/types.ts';
import { backOffMs } from './back-off.ts';

/** Default pause between two requests, in milliseconds. */
const defaultPauseMs = 5_000;

/** How to query experiments, and which callbacks to call. */
export interface ComparedWatchHandlers {
  ask(id: string): Promise<FrontierJson>;
  /** The epoch up to which the page shows an experiment; null if the experiment is not loaded. */
  shown(id: string): number | null;
  moved(id: string): void;
}

/**
 * Polls the frontiers of compared experiments. One stream per experiment would use up the browser's
 * connections to one host (six with HTTP/1.1) and leave none for the data.
 */
export class ComparedWatch {
  readonly #handlers: ComparedWatchHandlers;
  readonly #pauseMs: number;
  #ids: readonly string[] = [];
  readonly #rejected = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #running = false;
  #asking = false;

  constructor(handlers: ComparedWatchHandlers, pauseMs = defaultPauseMs) {
    this.#handlers = handlers;
    this.#pauseMs = pauseMs;
  }

  watch(ids: readonly string[]): void {
    this.#ids = ids;
    this.#plan();
  }

  start(): void {
    this.#running = true;
    this.#rejected.clear();
    if (this.#ids.length > 0 && !this.#asking && this.#timer === undefined) void this.#look();
  }

  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #plan(): void {
    const isIdle = this.#ids.every((id) => this.#rejected.has(id));
    if (!this.#running || this.#asking || isIdle) return;
    this.#timer ??= setTimeout(
      () => void this.#look(),
      this.#failures > 0 ? Math.max(this.#pauseMs, backOffMs(this.#failures)) : this.#pauseMs,
    );
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    this.#asking = true;
    const asked = this.#ids.filter((id) => !this.#rejected.has(id));
    const well = await Promise.all(asked.map((id) => this.#ask(id)));
    this.#failures = well.every(Boolean) ? 0 : this.#failures + 1;
    this.#asking = false;
    this.#plan();
  }

  async #ask(id: string): Promise<boolean> {
    try {
      const { epoch } = await this.#handlers.ask(id);
      const shown = this.#handlers.shown(id);
      if (this.#running && shown !== null && Number(epoch) > shown) this.#handlers.moved(id);
      return true;
    } catch (error) {
      if (mayRetry(error)) return false;
      this.#rejected.add(id);
      return true;
    }
  }
}
