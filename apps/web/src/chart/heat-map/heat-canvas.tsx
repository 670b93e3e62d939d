import { useLayoutEffect, useRef } from 'react';
import type { Extent, HeatMap } from '#charts';
import { useTheme } from '../../app/theme.ts';
import type { PlotBox } from '../../data/svg-axes.tsx';
import { drawHeat } from './draw-heat.ts';
import { type HeatCell, heatPixels, heatPlaces } from './heat-cells.ts';

interface CanvasProps {
  readonly box: PlotBox;
  /** Height of each row, in page pixels. */
  readonly cells: readonly (readonly HeatCell[])[];
  readonly heatMap: HeatMap;
  /** Null if no value has a color. */
  readonly colors: Extent | null;
}

/** The colored cells of a heat map, in screen pixels. */
export function HeatCanvas({ box: { left, top, width, height }, cells, heatMap, colors }: CanvasProps) {
  const theme = useTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { scale, value } = heatMap;
  useLayoutEffect(() => {
    if (!canvas.current || width === 0 || height === 0) return;
    const ratio = devicePixelRatio;
    Object.assign(canvas.current, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const scaled = (list: readonly HeatCell[]): HeatCell[] =>
      list.map((cell) => ({ ...cell, from: cell.from * ratio, to: cell.to * ratio }));
    const pixels = cells.map((list) => heatPixels(scaled(list), canvas.current!.width, value));
    const places = colors ? heatPlaces(scale, colors) : () => Number.NaN;
    drawHeat(canvas.current, pixels, { theme, places, ratio });
  }, [cells, width, height, theme, scale, value, colors]);
  return <canvas ref={canvas} style={{ left, top, width, height }} />;
}
