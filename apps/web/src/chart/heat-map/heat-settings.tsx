import { type HeatMap, type HeatScale, heatScales, type HeatValue, heatValues } from '#charts';
import { Icon } from '../../app/icons.tsx';
import { Menu } from '../../app/menu.tsx';
import { runText } from '../../compare/compared-run.ts';
import { scaleNames, valueNames } from './heat-names.ts';

interface SettingsProps {
  readonly heatMap: HeatMap;
  /** The run to show, and the runs to choose from. */
  readonly run: string;
  readonly runs: readonly string[];
  readonly onChange: (heatMap: HeatMap) => void;
}

/** A heat map's menu. */
export function HeatSettings({ heatMap, run, runs, onChange }: SettingsProps) {
  return (
    <Menu label="Heat map settings" side="start" icon={<Icon name="settings" />}>
      <div className="menu-form">
        <label>
          Color scale
          <select value={heatMap.scale} onChange={({ target }) => onChange({ ...heatMap, scale: target.value as HeatScale })}>
            {heatScales.map((scale) => (
              <option key={scale} value={scale}>
                {scaleNames[scale]}
              </option>
            ))}
          </select>
        </label>
        <label title="Which point determines the color if several share a cell">
          Cell color
          <select value={heatMap.value} onChange={({ target }) => onChange({ ...heatMap, value: target.value as HeatValue })}>
            {heatValues.map((value) => (
              <option key={value} value={value}>
                {valueNames[value]}
              </option>
            ))}
          </select>
        </label>
        {runs.length > 1 && (
          <label>
            Run
            <select value={run} onChange={({ target }) => onChange({ ...heatMap, run: target.value })}>
              {runs.map((one) => (
                <option key={one} value={one}>
                  {runText(one)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
    </Menu>
  );
}
