/** The lines of a plot, in pixels of its drawing. */
export interface ParallelLines {
  /** The horizontal positions of the axes. */
  readonly x: readonly number[];
  /** For each run, where its line crosses each axis. */
  readonly y: Float32Array;
  readonly count: number;
}

/** How long drawing may take before the page can respond, in milliseconds. */
const sliceMs = 10;
/** Number of lines drawn between two checks of the clock. */
const batch = 64;

export interface Drawing {
  readonly lines: ParallelLines;
  /** The lines to draw, in order. */
  readonly index: readonly number[];
  /** The color of a run's line. */
  readonly colorOf: (line: number) => string;
  readonly alpha: number;
  readonly width: number;
  /** Canvas pixels per page pixel. */
  readonly ratio: number;
}

/**
 * Draws lines on a canvas in time slices, because thousands of lines take longer than a frame. The
 * picture appears when it is complete. Returns a function that cancels the rest.
 */
export function drawParallel(canvas: HTMLCanvasElement, drawing: Drawing): () => void {
  const { lines, index, colorOf, ratio } = drawing;
  const axes = lines.x.length;
  const buffer = document.createElement('canvas');
  Object.assign(buffer, { width: canvas.width, height: canvas.height });
  const context = buffer.getContext('2d')!;
  Object.assign(context, { globalAlpha: drawing.alpha, lineWidth: drawing.width * ratio, lineJoin: 'round' });
  let next = 0;
  let frame = 0;
  const draw = (): void => {
    const end = performance.now() + sliceMs;
    while (next < index.length && performance.now() < end)
      for (const stop = Math.min(index.length, next + batch); next < stop; next++) {
        const line = index[next]!;
        context.strokeStyle = colorOf(line);
        context.beginPath();
        for (let axis = 0; axis < axes; axis++) context.lineTo(lines.x[axis]! * ratio, lines.y[line * axes + axis]! * ratio);
        context.stroke();
      }
    if (next < index.length) {
      frame = requestAnimationFrame(draw);
      return;
    }
    const shown = canvas.getContext('2d')!;
    shown.clearRect(0, 0, canvas.width, canvas.height);
    shown.drawImage(buffer, 0, 0);
  };
  draw();
  return () => cancelAnimationFrame(frame);
}

/**
 * The opacity of each line if there are this many, so that the density stays visible where lines
 * overlap.
 */
export function alphaOf(count: number): number {
  return Math.max(0.08, Math.min(0.85, 12 / Math.sqrt(count)));
}

/** The line nearest to a position, at most `reach` pixels away; -1 if there is none. */
export function nearestLine({ x, y, count }: ParallelLines, index: readonly number[], atX: number, atY: number, reach: number): number {
  const axes = x.length;
  const found = x.findIndex((one) => one > atX);
  const right = found < 0 ? axes - 1 : Math.max(1, found);
  const left = Math.max(0, right - 1);
  const part = right === left ? 0 : Math.min(1, Math.max(0, (atX - x[left]!) / (x[right]! - x[left]!)));
  let [best, min] = [-1, reach];
  for (const line of index) {
    if (line >= count) continue;
    const [from, to] = [y[line * axes + left]!, y[line * axes + right]!];
    // The distance perpendicular to the line, not along the axis, so that steep lines are as easy
    // to reach
    const slope = right === left ? 0 : (to - from) / (x[right]! - x[left]!);
    const distance = Math.abs(from + (to - from) * part - atY) / Math.hypot(1, slope);
    if (distance <= min) [best, min] = [line, distance];
  }
  return best;
}
