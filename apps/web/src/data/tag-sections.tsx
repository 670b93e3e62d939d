import { type ReactNode, useMemo, useState } from 'react';
import { groupTags, nameFilter, type Tab, visibleText } from '#charts';
import { Boundary } from '../app/boundary.tsx';
import { Icon } from '../app/icons.tsx';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { isFolded, toggleGroup } from '../experiment/folding.ts';
import { TagFilter } from '../experiment/tag-filter.tsx';
import { tabOf } from './tabs.ts';

interface TagSectionsProps {
  readonly tab: Tab;
  /** Common controls, beside the filter. */
  readonly controls?: ReactNode;
  readonly section: (tag: string) => ReactNode;
}

/** The tags of one kind of data, by group, that pass the filter. */
export function TagSections({ tab, controls, section }: TagSectionsProps) {
  const { view } = useWorld();
  const { tags } = useContents();
  const filter = useView(({ tagFilter }) => tagFilter);
  const folded = useView((all) => all.folded);
  const unfolded = useView((all) => all.unfolded);
  const isFoldedGroup = (group: string): boolean => isFolded({ folded, unfolded }, group, false);
  const [limit, setLimit] = useState(firstTags);
  const names = useMemo(() => {
    const { matches } = nameFilter(filter);
    return [...new Set(tags.filter((tag) => tabOf(tag) === tab && matches(tag.tag)).map(({ tag }) => tag))];
  }, [tags, tab, filter]);
  const groups = groupTags(names.slice(0, limit));
  return (
    <>
      <section className="toolbar" aria-label="What is shown">
        <TagFilter text={filter} onChange={(text) => changeView(view, { tagFilter: text })} />
        {controls}
      </section>
      <main className="cards" tabIndex={-1}>
        {names.length === 0 && <p className="empty">{filter === '' ? 'No data yet.' : 'No tag matches the filter.'}</p>}
        {groups.map(({ name, tags: members }) => (
          <section key={name}>
            <h2 className="group-head">
              <button
                type="button"
                aria-expanded={!isFoldedGroup(name)}
                onClick={() => changeView(view, toggleGroup(view.value, name, false))}
              >
                <Icon name="fold" />
                {name === '' ? 'General' : visibleText(name)} <span className="dim">{members.length}</span>
              </button>
            </h2>
            {!isFoldedGroup(name) &&
              members.map((tag) => (
                <div key={tag}>
                  <Boundary what={visibleText(tag)}>{section(tag)}</Boundary>
                </div>
              ))}
          </section>
        ))}
        {names.length > limit && (
          <p className="more">
            <button type="button" onClick={() => setLimit(limit * 2)}>
              Show more of {names.length} tags
            </button>
          </p>
        )}
      </main>
    </>
  );
}

/** Sections that are created at first: even thousands of empty ones would be slow. */
const firstTags = 200;
