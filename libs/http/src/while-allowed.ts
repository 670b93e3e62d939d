/**
 * Credential lookups are at most three seconds old. With this interval added, nothing is sent later
 * than five seconds after credentials become invalid.
 */
const askAgainMs = 2_000;

/**
 * Yields the pieces of a long response as long as `still` (like `requireStill` of its caller) does
 * not throw. `now`: milliseconds of a monotonic clock.
 */
export async function* whileAllowed<T>(
  pieces: AsyncIterable<T>,
  still: () => Promise<void>,
  now: () => number = () => performance.now(),
): AsyncGenerator<T> {
  let askedAt = now();
  for await (const piece of pieces) {
    if (now() - askedAt >= askAgainMs) {
      await still();
      askedAt = now();
    }
    yield piece;
  }
}
