interface Reading {
  /** The index of the current item; -1 if there is none. */
  readonly now: number;
  readonly count: number;
  readonly next: string;
  readonly previous: string;
}

/**
 * The index to which a key leads in a list: the next or previous one, or an end for `Home` and
 * `End`. Stops at the ends of the list. Null if the key has no meaning here.
 */
export function indexAfter(key: string, { now, count, next, previous }: Reading): number | null {
  const last = count - 1;
  const wanted = { [next]: now + 1, [previous]: now < 0 ? last : now - 1, Home: 0, End: last }[key];
  return wanted === undefined ? null : Math.max(0, Math.min(last, wanted));
}
