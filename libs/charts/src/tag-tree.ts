import { naturally, type TagGroup } from './tag-groups.ts';

/** A group of tags, or a nested group. */
export interface TagNode {
  /** For example `layers/0`; empty for tags without a group. */
  readonly path: string;
  /** Nesting depth; 0 for a group on the page. */
  readonly depth: number;
  /** The tags directly in the group. */
  readonly tags: readonly string[];
  /** Number of tags, including those of nested groups. */
  readonly total: number;
}

/** Groups with at most this many tags are not divided. */
const maxFlat = 24;

/**
 * Divides a large group by the parts of its tags between slashes: returns the group itself, then
 * its nested groups, each followed by its own nested groups. Tags keep their order. A part that all
 * tags share, or that only a single tag has, does not create a group.
 */
export function nestTags({ name, tags }: TagGroup): TagNode[] {
  return nodesOf(name, tags, 0);
}

function nodesOf(path: string, tags: readonly string[], depth: number): TagNode[] {
  const { direct, inner } = path === '' || tags.length <= maxFlat ? { direct: tags, inner: [] } : divide(path, tags);
  return [{ path, depth, tags: direct, total: tags.length }, ...inner.flatMap((one) => nodesOf(one.name, one.tags, depth + 1))];
}

/** The tags directly below a path, and its nested groups. */
function divide(path: string, tags: readonly string[]): { readonly direct: readonly string[]; readonly inner: readonly TagGroup[] } {
  let at = path;
  while (true) {
    const groups = Map.groupBy(tags, (tag) => pathBelow(at, tag));
    const inner = [...groups].filter(([name, members]) => name !== '' && members.length > 1).sort(([a], [b]) => naturally(a, b));
    const [first] = inner;
    if (first && first[1].length === tags.length) {
      at = first[0];
      continue;
    }
    const nested = new Set(inner.flatMap(([, members]) => members));
    return { direct: tags.filter((tag) => !nested.has(tag)), inner: inner.map(([name, members]) => ({ name, tags: members })) };
  }
}

/**
 * The path of a tag that has one more part than `path`; empty if the rest of the tag is its name.
 */
function pathBelow(path: string, tag: string): string {
  const rest = tag.slice(path.length + 1);
  const slash = rest.indexOf('/');
  return slash <= 0 || slash === rest.length - 1 ? '' : tag.slice(0, path.length + 1 + slash);
}
