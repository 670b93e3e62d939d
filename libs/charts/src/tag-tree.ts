import { naturally, type TagGroup } from './tag-groups.ts';

/** A group of tags, or a group inside of one. */
export interface TagNode {
  /** For example `layers/0`; empty: tags without a group. */
  readonly path: string;
  /** 0: a group of the page. */
  readonly depth: number;
  /** Those directly in it. */
  readonly tags: readonly string[];
  /** Its tags, with those of the groups inside. */
  readonly total: number;
}

/** Groups with at most this many tags are not divided. */
const maxFlat = 24;

/**
 * Divides a large group by the parts of its tags between slashes: the group itself, and after it
 * the groups inside of it, each followed by its own. Tags keep their order in each. A part that all
 * tags share, or that a single tag has, makes no group.
 */
export function nestTags({ name, tags }: TagGroup): TagNode[] {
  return nodesOf(name, tags, 0);
}

function nodesOf(path: string, tags: readonly string[], depth: number): TagNode[] {
  const { direct, inner } = path === '' || tags.length <= maxFlat ? { direct: tags, inner: [] } : divide(path, tags);
  return [{ path, depth, tags: direct, total: tags.length }, ...inner.flatMap((one) => nodesOf(one.name, one.tags, depth + 1))];
}

/** The tags directly below a path, and the groups there. */
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
