import { plainView, type TooltipSort, tooltipSorts, unzoomed } from '#charts';
import { Icon } from '../app/icons.tsx';
import { Menu } from '../app/menu.tsx';
import { changeView } from './change-view.ts';
import { useView, useWorld } from './experiment-context.ts';

const sortNames: Readonly<Record<TooltipSort, string>> = {
  nearest: 'nearest first',
  descending: 'largest first',
  ascending: 'smallest first',
  alphabetical: 'by name',
};

/** What charts have in common and seldom changes. */
export function ChartSettings() {
  const { view } = useWorld();
  const tooltipSort = useView((all) => all.tooltipSort);
  const ignoreOutliers = useView((all) => all.ignoreOutliers);
  const superseded = useView((all) => all.superseded);
  const isChanged = tooltipSort !== plainView.tooltipSort || ignoreOutliers || superseded;
  return (
    <Menu
      label="More settings of the charts"
      icon={
        <span className={isChanged ? 'changed' : undefined}>
          <Icon name="settings" />
        </span>
      }
    >
      <div className="menu-form">
        <label className="choice" title="Fit the vertical axis to all but the smallest and the largest twentieth of the values">
          <input
            type="checkbox"
            checked={ignoreOutliers}
            onChange={({ target }) => changeView(view, { ignoreOutliers: target.checked, yRanges: unzoomed.yRanges })}
          />
          No outliers
        </label>
        <label className="choice" title="Points that were logged again after a restart, dotted">
          <input type="checkbox" checked={superseded} onChange={({ target }) => changeView(view, { superseded: target.checked })} />
          Replaced points
        </label>
        <label>
          Values at the pointer
          <select value={tooltipSort} onChange={({ target }) => changeView(view, { tooltipSort: target.value as TooltipSort })}>
            {tooltipSorts.map((sort) => (
              <option key={sort} value={sort}>
                {sortNames[sort]}
              </option>
            ))}
          </select>
        </label>
      </div>
    </Menu>
  );
}
