const turnMs = 100;

/**
 * Calls `then` after the event loop has been running for `ms` milliseconds. Returns a function that
 * cancels it. After a busy period, a single timer of that length would fire at the first clock
 * check, before the data that arrived in the meantime is processed. The caller would then mistake
 * our own silence for the peer's.
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
