/** Ctrl-C, a request to stop (from `kill`, systemd and Docker), and a closed terminal. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Under `npm start`, one Ctrl-C arrives twice: from the terminal, and forwarded by npm. Signals
 * within this time count as one.
 */
const sameRequestMs = 1_000;

/**
 * A stop that takes longer never finishes: requests and ingest have 5 s, and Postgres writes a
 * checkpoint.
 */
const maxStopMs = 30_000;

let extraMs = 0;

/** Gives the stop this much more time, during which the process first continues to serve. */
export function extendStop(ms: number): void {
  extraMs = ms;
}

/** A request to stop aborted the start. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/**
 * A signal that is aborted (with {@link Interrupted}) when the process receives a stop signal.
 * `giveUp` is called when a second signal arrives more than a second later, or if the process still
 * runs after 30 s (`extendStop`); `giveUp` must end the process.
 */
export function onInterruption(giveUp: (why: string) => never): AbortSignal {
  const interrupted = new AbortController();
  let askedAt = 0;
  const ask = (signal: NodeJS.Signals): void => {
    if (!interrupted.signal.aborted) {
      askedAt = performance.now();
      setTimeout(() => giveUp('The service did not stop in time.'), maxStopMs + extraMs).unref();
      interrupted.abort(new Interrupted(`stopped by ${signal}`));
    } else if (performance.now() - askedAt > sameRequestMs) {
      giveUp('Second stop request: exiting immediately. Acknowledged data is kept.');
    }
  };
  for (const signal of stopSignals) process.on(signal, ask);
  return interrupted.signal;
}

/** Resolves when the signal is aborted. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
