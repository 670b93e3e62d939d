import { setImmediate } from 'node:timers/promises';

/**
 * Yields the result of `read` for each item, in order; reads one item ahead while the current one
 * is processed.
 */
export async function* ahead<T, U>(list: readonly T[], read: (one: T) => Promise<U>): AsyncGenerator<U> {
  const start = (index: number): Promise<U> | null => {
    if (index >= list.length) return null;
    const reading = read(list[index]!);
    reading.catch(() => undefined); // an error is thrown where the read is awaited
    return reading;
  };
  let next = start(0);
  try {
    for (let i = 1; next; i++) {
      const done = await next;
      next = start(i);
      if (next) await setImmediate(); // lets the read start
      yield done;
    }
  } finally {
    await next?.catch(() => undefined); // no read continues after the consumer has ended
  }
}
