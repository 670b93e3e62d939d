const turnMs = 100;

/**
 * Calls `then` after the event loop has been running for `ms` milliseconds; returns a function that
 * cancels it. A single timer of that length would fire at the first clock check after a busy
 * period, before data that arrived during that period is processed, and mistake our own silence for
 * the peer's.
 */
export function afterTurns(ms: number, then: () => void): () => void {
  let left = Math.ceil(ms / turnMs);
  const timer = setInterval(() => {
    if (--left > 0) return;
    clearInterval(timer);
    then();
  }, turnMs).unref();
  return () => clearInterval(timer);
}
