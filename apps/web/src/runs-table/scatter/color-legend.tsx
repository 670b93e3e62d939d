import { type ReactNode, useId } from 'react';
import { formatValue, type Theme, visibleText } from '#charts';
import { rampColors } from '../../app/ramp.ts';
import { cellText } from '../cell-text.ts';
import type { RunColumn } from '../table-columns.ts';
import type { Coloring } from './scatter-colors.ts';

interface ColorLegendProps {
  readonly coloring: Coloring;
  readonly column: RunColumn;
  readonly theme: Theme;
}

/** The colors of a plot. */
export function ColorLegend({ coloring: { legend, colors }, column, theme }: ColorLegendProps) {
  const id = useId();
  if (legend.kind === 'none') return null;
  const swatch = (color: string): ReactNode => (
    <svg width={10} height={10} aria-hidden="true">
      <circle cx={5} cy={5} r={4} fill={color} />
    </svg>
  );
  return (
    <ul className="scatter-legend" aria-label={`Colors: ${visibleText(column.name)}`}>
      {legend.kind === 'ramp' ? (
        <li className="ramp">
          <span className="cut">{visibleText(column.name)}</span> {cellText(column, legend.min)}
          <svg width={96} height={10} aria-hidden="true">
            <linearGradient id={id}>
              {rampColors(theme).map((color, i, all) => (
                <stop key={color} offset={i / (all.length - 1)} stopColor={color} />
              ))}
            </linearGradient>
            <rect width={96} height={10} rx={3} fill={`url(#${id})`} />
          </svg>
          {column.kind === 'metric' ? formatValue(legend.max) : cellText(column, legend.max)}
        </li>
      ) : (
        <>
          {legend.values.map((value, i) => (
            <li key={`${typeof value} ${value}`}>
              {swatch(colors[i]!)} <span className="cut">{cellText(column, value)}</span>
            </li>
          ))}
          {legend.more && <li>{swatch(colors.at(-1)!)} others</li>}
        </>
      )}
    </ul>
  );
}
