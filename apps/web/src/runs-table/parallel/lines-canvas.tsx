import { useLayoutEffect, useRef } from 'react';
import { type Drawing, drawParallel } from './draw-parallel.ts';

interface LinesCanvasProps extends Omit<Drawing, 'ratio'> {
  readonly className?: string;
  /** In page pixels. */
  readonly size: { readonly width: number; readonly height: number };
}

/** A canvas that contains some of the lines. */
export function LinesCanvas({ className, size, lines, index, colorOf, alpha, width }: LinesCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const element = canvas.current!;
    const ratio = devicePixelRatio;
    const pixels = { width: Math.round(size.width * ratio), height: Math.round(size.height * ratio) };
    // Setting a canvas size clears the canvas, even if the size is the same
    if (element.width !== pixels.width || element.height !== pixels.height) Object.assign(element, pixels);
    return drawParallel(element, { lines, index, colorOf, alpha, width, ratio });
  }, [size, lines, index, colorOf, alpha, width]);
  return <canvas ref={canvas} className={className} style={size} />;
}
