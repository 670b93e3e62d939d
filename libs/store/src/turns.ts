const turnMs = 100;

/**
 * Calls `then` when the event loop has come round for `ms` milliseconds; gives what calls it off. A timer of that length goes off with the first look at the
 * clock after a busy time, before what arrived meanwhile is looked at: it takes our own silence for somebody else's.
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
