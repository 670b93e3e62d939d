const dots = '…';

/**
 * Shortens names longer than `max` characters in the middle, keeping what distinguishes them: text
 * that all names share is removed first. Different names remain different, as far as `max` allows
 * (at least 8).
 *
 * ```ts
 * const names = ['resnet50/seed=1/2026-03-01', 'resnet50/seed=2/2026-03-01'];
 * assert.deepEqual([...elideNames(names, 12).values()], ['re…seed=1…01', 're…seed=2…01']);
 * ```
 */
export function elideNames(names: readonly string[], max: number): ReadonlyMap<string, string> {
  const all = [...new Set(names)];
  const shortened = new Map(all.map((name): [string, string] => [name, name]));
  if (all.some((name) => name.length > max)) elide(all, Math.max(8, max), shortened);
  return shortened;
}

function elide(names: readonly string[], max: number, into: Map<string, string>): void {
  const list = names.map((name) => Array.from(name));
  if (list.length === 1) return void into.set(names[0]!, withoutMiddle(list[0]!, max));
  const shortest = Math.min(...list.map(({ length }) => length));
  const isShared = (at: (letters: readonly string[]) => string | undefined): boolean => new Set(list.map(at)).size === 1;
  let before = 0;
  let behind = 0;
  while (before < shortest && isShared((letters) => letters[before])) before++;
  while (behind < shortest - before && isShared((letters) => letters[letters.length - 1 - behind])) behind++;
  const byShort = Map.groupBy(names, (name) => {
    const short = shorten(Array.from(name), before, behind, max);
    into.set(name, short);
    return short;
  });
  // Names that are still equal share more text, so less of it is shown
  for (const alike of byShort.values()) if (alike.length > 1 && alike.length < names.length) elide(alike, max, into);
}

function withoutMiddle(letters: readonly string[], max: number): string {
  if (letters.length <= max) return letters.join('');
  const end = Math.floor((max - 1) / 2);
  return `${letters.slice(0, max - 1 - end).join('')}${dots}${letters.slice(letters.length - end).join('')}`;
}

/** `before`, `behind`: the numbers of shared characters at the two ends. */
function shorten(letters: readonly string[], before: number, behind: number, max: number): string {
  if (letters.length <= max) return letters.join('');
  const own = letters.slice(before, letters.length - behind);
  const spare = max - own.length - 2;
  if (spare < 0) {
    // The ends of the differing part, always including its first character
    const ends = max - 2;
    const first = own.slice(0, Math.ceil(ends / 2)).join('');
    const rest = letters.slice(letters.length - Math.floor(ends / 2)).join('');
    return `${before > 0 ? dots : ''}${first}${dots}${rest}`;
  }
  // The characters just before the differing part explain it, as in `seed=1`
  const beside = Math.min(before, Math.ceil(spare / 2));
  const right = Math.min(behind, Math.floor(spare / 4));
  const left = Math.min(before - beside, spare - beside - right);
  const middle = letters.slice(before - beside, letters.length - behind).join('');
  const end = Math.min(behind, spare - beside - left);
  const text = (from: number, to: number): string => letters.slice(from, to).join('');
  return `${text(0, left)}${left + beside < before ? dots : ''}${middle}${end < behind ? dots : ''}${text(letters.length - end, letters.length)}`;
}
