import { type CardSize, plainView, type TooltipSort, tooltipSorts, unzoomed, type WritersForm } from '#charts';
import { Icon } from '../app/icons.tsx';
import { Menu } from '../app/menu.tsx';
import { changeView } from './change-view.ts';
import { useView, useWorld } from './experiment-context.ts';

const sortNames: Readonly<Record<TooltipSort, string>> = {
  nearest: 'Nearest first',
  descending: 'Largest first',
  ascending: 'Smallest first',
  alphabetical: 'By name',
};

const sizeNames: Readonly<Record<CardSize, string>> = { small: 'Small', medium: 'Medium', large: 'Large' };

/** Rarely changed options of all charts. */
export function ChartSettings() {
  const { view } = useWorld();
  const tooltipSort = useView((all) => all.tooltipSort);
  const ignoreOutliers = useView((all) => all.ignoreOutliers);
  const writers = useView((all) => all.writers);
  const superseded = useView((all) => all.superseded);
  const cardSize = useView((all) => all.cardSize);
  const isChanged = tooltipSort !== plainView.tooltipSort || writers !== plainView.writers || ignoreOutliers || superseded;
  return (
    <Menu
      label="Chart settings"
      icon={
        <span className={isChanged ? 'changed' : undefined}>
          <Icon name="settings" />
        </span>
      }
    >
      <div className="menu-form">
        <label className="choice" title="Fit the y axis to all but the smallest and largest 5 % of the values">
          <input
            type="checkbox"
            checked={ignoreOutliers}
            onChange={({ target }) => changeView(view, { ignoreOutliers: target.checked, yRanges: unzoomed.yRanges })}
          />
          Ignore outliers in y scaling
        </label>
        <label className="choice" title="Dotted lines: points that were logged again, or followed by a restart at an earlier step">
          <input type="checkbox" checked={superseded} onChange={({ target }) => changeView(view, { superseded: target.checked })} />
          Show superseded points
        </label>
        <label title="For tags that several processes of one run logged at the same time">
          Concurrent writers
          <select value={writers} onChange={({ target }) => changeView(view, { writers: target.value as WritersForm })}>
            <option value="lines">One line each</option>
            <option value="mean">Mean</option>
          </select>
        </label>
        <label>
          Card size
          <select value={cardSize} onChange={({ target }) => changeView(view, { cardSize: target.value as CardSize })}>
            {(['small', 'medium', 'large'] as const).map((size) => (
              <option key={size} value={size}>
                {sizeNames[size]}
              </option>
            ))}
          </select>
        </label>
        <label>
          Tooltip order
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
