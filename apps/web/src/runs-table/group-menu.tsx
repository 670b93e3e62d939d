import { toggled, visibleText } from '#charts';
import { Menu } from '../app/menu.tsx';
import { changeView } from '../experiment/change-view.ts';
import { useWorld } from '../experiment/experiment-context.ts';
import type { RunColumn } from './table-columns.ts';

interface GroupMenuProps {
  readonly all: readonly RunColumn[];
  readonly groupBy: readonly string[];
}

/** A menu that selects the columns by which runs are grouped. */
export function GroupMenu({ all, groupBy }: GroupMenuProps) {
  const { view } = useWorld();
  const groupable = all.filter(({ kind }) => kind === 'state' || kind === 'hparam' || kind === 'text');
  return (
    <Menu label="Group by" icon={groupBy.length > 0 ? `Group by (${groupBy.length})` : 'Group by'}>
      <div className="column-list">
        {groupable.map(({ key, name, constant }) => (
          <label key={key} className="choice">
            <input type="checkbox" checked={groupBy.includes(key)} onChange={() => changeView(view, { groupBy: toggled(groupBy, key) })} />
            <span className="cut">{visibleText(name)}</span>
            {constant && <span className="dim">constant</span>}
          </label>
        ))}
      </div>
    </Menu>
  );
}
