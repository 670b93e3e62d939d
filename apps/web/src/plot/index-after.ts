interface Reading {
  /** The index of what is read now; -1: nothing. */
  readonly now: number;
  readonly count: number;
  readonly next: string;
  readonly previous: string;
}

/**
 * The index that a key leads to in a list: the next or previous one, `Home` and `End`, up to the
 * ends of the list. Null: the key does not read.
 */
export function indexAfter(key: string, { now, count, next, previous }: Reading): number | null {
  const last = count - 1;
  const wanted = { [next]: now + 1, [previous]: now < 0 ? last : now - 1, Home: 0, End: last }[key];
  return wanted === undefined ? null : Math.max(0, Math.min(last, wanted));
}
