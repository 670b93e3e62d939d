import type { Tick } from '#charts';

/** The position of a plot in its drawing, in pixels. */
export interface PlotBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface AxesProps {
  readonly box: PlotBox;
  readonly x: readonly (Tick & { readonly at: number })[];
  readonly y: readonly (Tick & { readonly at: number })[];
  /** The side with the labels of the vertical axis. */
  readonly side?: 'left' | 'right';
}

/**
 * Labels on two sides, and a hairline for each label on the vertical axis. `at`: pixels from the
 * corner of the drawing.
 */
export function SvgAxes({ box: { left, top, width, height }, x, y, side = 'left' }: AxesProps) {
  return (
    <g className="axes">
      {y.map(({ at, label }, i) => (
        <g key={i}>
          <path className="grid" d={`M${left} ${at}h${width}`} />
          <text x={side === 'left' ? left - 8 : left + width + 8} y={at + 4} textAnchor={side === 'left' ? 'end' : 'start'}>
            {label}
          </text>
        </g>
      ))}
      {x.map(({ at, label }, i) => (
        <text key={i} x={at} y={top + height + 16} textAnchor="middle">
          {label}
        </text>
      ))}
    </g>
  );
}
