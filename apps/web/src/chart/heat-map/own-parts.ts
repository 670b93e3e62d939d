/**
 * Shortens names by the parts (separated by slashes and periods) that all of them have in common at
 * the start or the end: `0/up` for `layers.0/up/norm` and `layers.1/up/norm`. Each name keeps at
 * least one part.
 */
export function ownParts(names: readonly string[]): string[] {
  if (names.length < 2) return [...names];
  const all = names.map((name) => name.split(/(?<=[/.])/));
  const shortest = Math.min(...all.map(({ length }) => length));
  const isShared = (at: (parts: readonly string[]) => string): boolean => new Set(all.map(at)).size === 1;
  let before = 0;
  while (before < shortest - 1 && isShared((parts) => parts[before]!)) before++;
  let behind = 0;
  while (behind < shortest - 1 - before && isShared((parts) => parts[parts.length - 1 - behind]!)) behind++;
  return all.map((parts) => {
    const own = parts.slice(before, parts.length - behind).join('');
    return behind > 0 ? own.replace(/[/.]$/, '') : own;
  });
}
