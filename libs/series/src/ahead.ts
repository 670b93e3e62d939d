import { setImmediate } from 'node:timers/promises';

/** What comes of each, in order, each read while the one before is worked on. */
export async function* ahead<T, U>(list: readonly T[], read: (one: T) => Promise<U>): AsyncGenerator<U> {
  const start = (index: number): Promise<U> | null => {
    if (index >= list.length) return null;
    const reading = read(list[index]!);
    reading.catch(() => undefined); // it is thrown where it is awaited
    return reading;
  };
  let next = start(0);
  try {
    for (let i = 1; next; i++) {
      const done = await next;
      next = start(i);
      if (next) await setImmediate(); // so that it is on its way
      yield done;
    }
  } finally {
    await next?.catch(() => undefined); // nothing is read any more when whoever reads has ended
  }
}
