import { type ReactNode, useMemo, useState } from 'react';
import { MainArea } from '../app/main-area.tsx';
import { groupTags, nameFilter, nestTags, type Tab, type TagNode, visibleText } from '#charts';
import { Boundary } from '../app/boundary.tsx';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { type Folding, isFolded } from '../experiment/folding.ts';
import { FoldAll, GroupHead } from '../experiment/group-head.tsx';
import { TagFilter } from '../experiment/tag-filter.tsx';
import { tabOf } from './tabs.ts';

interface TagSectionsProps {
  readonly tab: Tab;
  /** Controls for all tags, shown beside the filter. */
  readonly controls?: ReactNode;
  /**
   * The name that several tags share if they describe one thing together. By default, each tag has
   * its own name.
   */
  readonly nameOf?: (tag: string) => string;
  readonly section: (name: string) => ReactNode;
}

/** The tags of one kind of data that pass the filter, by group. */
export function TagSections({ tab, controls, nameOf = theTag, section }: TagSectionsProps) {
  const { view } = useWorld();
  const { tags } = useContents();
  const filter = useView(({ tagFilter }) => tagFilter);
  const folded = useView((all) => all.folded);
  const unfolded = useView((all) => all.unfolded);
  const [limit, setLimit] = useState(firstTags);
  const names = useMemo(() => {
    const { matches } = nameFilter(filter);
    const all = tags.filter((tag) => tabOf(tag) === tab).map(({ tag }) => nameOf(tag));
    return [...new Set(all.filter(matches))];
  }, [tags, tab, filter, nameOf]);
  const nodes = useMemo(() => groupTags(names).flatMap(nestTags), [names]);
  const { sections, hasMore } = drawnSections(nodes, { folded, unfolded }, limit);
  return (
    <>
      <section className="toolbar" aria-label="Selection">
        <TagFilter text={filter} onChange={(text) => changeView(view, { tagFilter: text })} />
        {controls}
      </section>
      <MainArea className="cards" tabIndex={-1}>
        {names.length === 0 && <p className="empty">{filter === '' ? 'No data yet.' : 'No tags match the filter.'}</p>}
        <FoldAll open={sections.some((one) => !one.folded)} count={nodes.length} />
        {sections.map(({ path, depth, total, tags: members }) => (
          <section key={path}>
            <GroupHead group={path} title={path === '' ? 'General' : path} depth={depth} count={total} />
            {members.map((tag) => (
              <div key={tag}>
                <Boundary what={visibleText(tag)}>{section(tag)}</Boundary>
              </div>
            ))}
          </section>
        ))}
        {hasMore && (
          <p className="more">
            <button type="button" onClick={() => setLimit(limit * 2)}>
              Show more of {names.length} tags
            </button>
          </p>
        )}
      </MainArea>
    </>
  );
}

function theTag(tag: string): string {
  return tag;
}

/**
 * Number of tags and headings created at first: thousands would be slow, even if they are empty.
 */
const firstTags = 200;

interface DrawnSection extends Omit<TagNode, 'tags'> {
  readonly folded: boolean;
  /** The drawn tags. */
  readonly tags: readonly string[];
}

/**
 * The groups that are not inside collapsed groups, up to a number of headings and tags. `hasMore`:
 * whether there are more.
 */
function drawnSections(
  nodes: readonly TagNode[],
  folding: Folding,
  limit: number,
): { readonly sections: readonly DrawnSection[]; readonly hasMore: boolean } {
  const sections: DrawnSection[] = [];
  let left = limit;
  let foldedDepth = Infinity; // depth of the collapsed group that contains the next groups
  for (const node of nodes) {
    if (node.depth > foldedDepth) continue;
    if (left <= 0) return { sections, hasMore: true };
    const folded = isFolded(folding, node.path, false);
    foldedDepth = folded ? node.depth : Infinity;
    const tags = folded ? [] : node.tags.slice(0, left);
    sections.push({ ...node, folded, tags });
    left -= tags.length + 1;
    if (!folded && tags.length < node.tags.length) return { sections, hasMore: true };
  }
  return { sections, hasMore: false };
}
