/** Credentials are looked up at most three seconds ago; with these two nobody is told anything five seconds after theirs ended. */
const askAgainMs = 2_000;

/** The pieces of a long answer, for as long as `still` (as `requireStill` of its caller) does not throw. `now`: milliseconds of a clock that never goes back. */
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
