interface Reading {
  /** Index of the current item; -1 if there is none. */
  readonly now: number;
  readonly count: number;
  readonly next: string;
  readonly previous: string;
}

/**
 * The index to which a key moves in a list: the next or previous item, or an end of the list for
 * `Home` and `End`. Does not wrap around. Null if the key has no meaning here.
 */
export function indexAfter(key: string, { now, count, next, previous }: Reading): number | null {
  const last = count - 1;
  const wanted = { [next]: now + 1, [previous]: now < 0 ? last : now - 1, Home: 0, End: last }[key];
  return wanted === undefined ? null : Math.max(0, Math.min(last, wanted));
}
