import type { PlotBox } from '../../data/svg-axes.tsx';

/** The points of a plot, in pixels of its drawing. */
export interface ScatterPoints {
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** For each point, its index in `colors`. */
  readonly color: Uint8Array;
  /** For each point, 1 if it is selected. */
  readonly selected: Uint8Array;
  readonly colors: readonly string[];
}

/** Radius of a point, in pixels. Smaller if there are many points. */
export function radiusOf(count: number): number {
  return count > 4_000 ? 2 : count > 500 ? 3 : 4;
}

/**
 * Draws the points on a canvas with `ratio` pixels per page pixel. If some points are selected, the
 * other points are faint. The point of each color is drawn once and then copied, because thousands
 * of paths would be slow.
 */
export function drawScatter(canvas: HTMLCanvasElement, box: PlotBox, points: ScatterPoints, ratio: number): void {
  const { width, height } = canvas;
  const context = canvas.getContext('2d')!;
  context.clearRect(0, 0, width, height);
  const count = points.x.length;
  const radius = radiusOf(count) * ratio;
  const isSome = points.selected.includes(1);
  const stamps = points.colors.map((color) => stampOf(color, radius));
  const half = stamps[0]!.width / 2;
  context.save();
  context.beginPath();
  context.rect((box.left - 4) * ratio, (box.top - 4) * ratio, (box.width + 8) * ratio, (box.height + 8) * ratio);
  context.clip();
  for (const selected of isSome ? [0, 1] : [0]) {
    context.globalAlpha = isSome && selected === 0 ? 0.15 : count > 4_000 ? 0.6 : 0.8;
    for (let i = 0; i < count; i++) {
      if (points.selected[i] !== selected) continue;
      context.drawImage(stamps[points.color[i]!]!, Math.round(points.x[i]! * ratio - half), Math.round(points.y[i]! * ratio - half));
    }
  }
  context.restore();
}

function stampOf(color: string, radius: number): HTMLCanvasElement {
  const stamp = document.createElement('canvas');
  stamp.width = stamp.height = 2 * Math.ceil(radius) + 2;
  const context = stamp.getContext('2d')!;
  context.fillStyle = color;
  context.beginPath();
  context.arc(stamp.width / 2, stamp.height / 2, radius, 0, 2 * Math.PI);
  context.fill();
  return stamp;
}

/** The point nearest to a position, at most `reach` pixels away; -1 if there is none. */
export function nearestPoint({ x, y }: Pick<ScatterPoints, 'x' | 'y'>, atX: number, atY: number, reach: number): number {
  let [best, min] = [-1, reach ** 2];
  for (let i = 0; i < x.length; i++) {
    const distance = (x[i]! - atX) ** 2 + (y[i]! - atY) ** 2;
    if (distance <= min) [best, min] = [i, distance];
  }
  return best;
}
