import { useId, useMemo } from 'react';
import type { Extent, HeatMap, Scale } from '#charts';
import { rampColors } from '../../app/ramp.ts';
import { useTheme } from '../../app/theme.ts';
import { extentText } from '../extent-text.ts';
import { valueNames } from './heat-names.ts';
import { type HeatRow, specialValues } from './heat-rows.ts';

interface LegendProps {
  readonly rows: readonly HeatRow[];
  readonly x: Scale;
  readonly heatMap: HeatMap;
  /** The values of the first and the last color. */
  readonly colors: Extent;
  readonly ignoreOutliers: boolean;
}

/** What the colors of a heat map mean. */
export function HeatLegend({ rows, x, heatMap, colors, ignoreOutliers }: LegendProps) {
  const id = useId();
  const theme = useTheme();
  const [min, max] = extentText(colors).split(' to ');
  const { notFinite, low } = useMemo(() => specialValues(rows, x), [rows, x]);
  return (
    <ul className="heat-legend" aria-label={`Colors: ${valueNames[heatMap.value].toLowerCase()}, ${heatMap.scale} scale`}>
      {notFinite && (
        <li>
          <i className="hatched" /> not finite
        </li>
      )}
      {low && heatMap.scale === 'log' && (
        <li>
          <i className="low" /> ≤ 0
        </li>
      )}
      <li>
        {ignoreOutliers && '≤ '}
        {min}
        <svg width={72} height={10} aria-hidden="true">
          <linearGradient id={id}>
            {rampColors(theme).map((color, i, all) => (
              <stop key={color} offset={i / (all.length - 1)} stopColor={color} />
            ))}
          </linearGradient>
          <rect width={72} height={10} rx={2} fill={`url(#${id})`} />
        </svg>
        {ignoreOutliers && '≥ '}
        {max}
        {heatMap.scale === 'log' && ' (log)'}
      </li>
    </ul>
  );
}
