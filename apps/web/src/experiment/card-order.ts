/** Tags that were moved come first, in the order of `chosen`. The other tags keep their order. */
export function inChosenOrder(tags: readonly string[], chosen: readonly string[]): readonly string[] {
  if (chosen.length === 0) return tags;
  const known = new Set(tags);
  const first = chosen.filter((tag) => known.has(tag));
  if (first.length === 0) return tags;
  const named = new Set(first);
  return [...first, ...tags.filter((tag) => !named.has(tag))];
}

/**
 * The fewest moved tags that give a section this order. `plain`: the section in its default order.
 * Moved tags of other sections are kept.
 */
export function chosenFor(wanted: readonly string[], plain: readonly string[], chosen: readonly string[]): string[] {
  const own = new Set(plain);
  const others = chosen.filter((tag) => !own.has(tag));
  let count = wanted.length;
  // Going backward from the end, tags are in default order up to the first tag that is not
  const places = new Map(plain.map((tag, i) => [tag, i]));
  while (count > 0 && (count === wanted.length || places.get(wanted[count - 1]!)! < places.get(wanted[count]!)!)) count--;
  while (count < wanted.length && inChosenOrder(plain, wanted.slice(0, count)).some((tag, i) => tag !== wanted[i])) count++;
  return [...others, ...wanted.slice(0, count)];
}

/** The list, with an entry moved before or after another one. */
export function movedBeside(keys: readonly string[], key: string, target: string, isAfter: boolean): string[] {
  if (key === target) return [...keys];
  const others = keys.filter((one) => one !== key);
  others.splice(others.indexOf(target) + (isAfter ? 1 : 0), 0, key);
  return others;
}

/** The list, with an entry moved by some positions or to one end. */
export function movedBy(keys: readonly string[], key: string, by: number): string[] {
  const at = keys.indexOf(key);
  const others = keys.filter((one) => one !== key);
  others.splice(Math.min(others.length, Math.max(0, at + by)), 0, key);
  return others;
}
