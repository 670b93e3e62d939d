/** Tags with the same prefix, as a section of the page. */
export interface TagGroup {
  /** The part before the first slash; empty for tags without a slash. */
  readonly name: string;
  readonly tags: readonly string[];
}

const order = new Intl.Collator('en', { numeric: true });

/** Natural sort order: `layer2` before `layer10`. */
export function naturally(a: string, b: string): number {
  return order.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * Groups tags by the part before their first slash, all in natural order; those without a slash
 * come first, in one group.
 */
export function groupTags(tags: readonly string[]): TagGroup[] {
  const groups = Map.groupBy(tags, groupOf);
  return [...groups]
    .map(([name, members]) => ({ name, tags: members.sort(naturally) }))
    .sort((a, b) => (a.name === '' ? -1 : b.name === '' ? 1 : naturally(a.name, b.name)));
}

/** A tag in two parts: its group name, and the rest. */
export function splitTag(tag: string): { readonly group: string; readonly rest: string } {
  const slash = tag.indexOf('/');
  return slash <= 0 || slash === tag.length - 1 ? { group: '', rest: tag } : { group: tag.slice(0, slash + 1), rest: tag.slice(slash + 1) };
}

function groupOf(tag: string): string {
  return splitTag(tag).group.slice(0, -1);
}
