import { mayRetry } from '../api/problem.ts';
import { backOffMs } from './back-off.ts';

/** What is used of an `EventSource`. */
export type EventSourceLike = Pick<EventSource, 'readyState' | 'close'> & {
  addEventListener(type: 'open' | 'error', listener: () => void): void;
};

/** What becomes of a stream. */
export interface StreamHandlers {
  /** Makes the connection, with listeners for what it tells. */
  connect(): EventSourceLike;
  /** Asks something small of the same place, to hear why there is no stream. */
  ask(): Promise<unknown>;
  opened(): void;
  /** It broke; it is tried again. */
  lost(): void;
  /** The server says that this may not be read (any more); it is not tried again. */
  refused(): void;
}

/** `EventSource.CLOSED`, also where there is no such thing. */
const closed = 2;

/**
 * A stream of server-sent events that comes back. `EventSource` does so by itself when a connection breaks, but gives up for good when it is answered by anything but a
 * stream: by a proxy without a server behind it, for too many requests (HTML standard, "fail the connection").
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
    const answer = await this.#handlers.ask().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (!this.#running || timer !== this.#timer || this.#source) return; // stopped meanwhile, or begun anew
    if (!answer) this.#connect();
    else if (mayRetry(answer.error)) this.#tryLater();
    else {
      this.stop();
      this.#handlers.refused();
    }
  }
}
