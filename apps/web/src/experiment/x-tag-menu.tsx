import { useState } from 'react';
import { naturally, visibleText, xTagOf } from '#charts';
import { Menu } from '../app/menu.tsx';
import { scalarTags } from './card-rows.ts';
import { changeView } from './change-view.ts';
import { useContents, useView, useWorld } from './experiment-context.ts';

/** Maximum tags in the menu; the search finds the others. */
const maxListed = 50;

/** Common names of tags that measure a run's progress. */
const progress =
  /(^|[/_-])(epochs?|tokens?|samples?|examples?|images?|frames?|episodes?|iterations?|iters?|steps?|flops?|hours?|seen)([/_-]|$)/i;

/** A menu that selects a scalar tag of the runs for the x axis. */
export function XTagMenu() {
  const chosen = xTagOf(useView((view) => view.xAxis));
  return (
    <Menu
      label={chosen === null ? 'Tag on the x axis' : `${visibleText(chosen)} on the x axis`}
      icon={<span className={`cut x-tag${chosen === null ? '' : ' on'}`}>{chosen === null ? 'Tag' : visibleText(chosen)}</span>}
    >
      <Tags chosen={chosen} />
    </Menu>
  );
}

function Tags({ chosen }: { readonly chosen: string | null }) {
  const { view } = useWorld();
  const { tags } = useContents();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = scalarTags(tags, '')
    .filter((tag) => tag.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(progress.test(b)) - Number(progress.test(a)) || naturally(a, b));
  return (
    <div className="menu-form x-tags">
      <input
        type="search"
        className="text-field"
        placeholder="Search tags"
        aria-label="Search tags for the x axis"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {found.length === 0 && <p className="dim">No tags match.</p>}
      {found.slice(0, maxListed).map((tag) => (
        <label key={tag} className="choice">
          <input
            type="radio"
            name="x-tag"
            checked={tag === chosen}
            onChange={() => changeView(view, { xAxis: `tag:${tag}`, range: null })}
          />
          <span className="cut">{visibleText(tag)}</span>
        </label>
      ))}
      {found.length > maxListed && <p className="dim">Search to see {found.length - maxListed} more.</p>}
    </div>
  );
}
