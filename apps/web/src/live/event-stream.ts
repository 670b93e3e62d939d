import { mayRetry } from '../api/problem.ts';
import { backOffMs } from './back-off.ts';

/** The part of `EventSource` that we use. */
export type EventSourceLike = Pick<EventSource, 'readyState' | 'close'> & {
  addEventListener(type: 'open' | 'error', listener: () => void): void;
};

/** Callbacks of a stream. */
export interface StreamHandlers {
  /** Opens the connection and listens for its events. */
  connect(): EventSourceLike;
  /** Sends a small request to the same server, to find out why there is no stream. */
  ask(): Promise<unknown>;
  opened(): void;
  /** Called when the connection breaks. The stream retries it. */
  lost(): void;
  /** Called when the server denies access. The stream does not retry. */
  rejected(): void;
}

/** `EventSource.CLOSED`, available even if there is no `EventSource`. */
const closed = 2;

/**
 * A stream of server-sent events that always reconnects. `EventSource` reconnects when a connection
 * breaks, but gives up permanently on any response that is not a stream (HTML standard, "fail the
 * connection"). Examples are responses of a proxy while its server is down, or rejections because
 * of too many requests.
 */
export class EventStream {
  readonly #handlers: StreamHandlers;
  #source: EventSourceLike | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #running = false;

  constructor(handlers: StreamHandlers) {
    this.#handlers = handlers;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#failures = 0;
    this.#connect();
  }

  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  #connect(): void {
    const source = this.#handlers.connect();
    this.#source = source;
    source.addEventListener('open', () => {
      if (source !== this.#source) return;
      this.#failures = 0;
      this.#handlers.opened();
    });
    source.addEventListener('error', () => {
      if (source !== this.#source) return;
      this.#handlers.lost();
      if (source.readyState === closed) this.#tryLater();
    });
  }

  #tryLater(): void {
    this.#source = null;
    this.#timer = setTimeout(() => void this.#try(), backOffMs(++this.#failures));
  }

  async #try(): Promise<void> {
    const timer = this.#timer;
    const response = await this.#handlers.ask().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (!this.#running || timer !== this.#timer || this.#source) return; // stopped or restarted in the meantime
    if (!response) this.#connect();
    else if (mayRetry(response.error)) this.#tryLater();
    else {
      this.stop();
      this.#handlers.rejected();
    }
  }
}
