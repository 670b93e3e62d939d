import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { columnWidthRange } from '#charts';
import { changeView } from '../experiment/change-view.ts';
import { useWorld } from '../experiment/experiment-context.ts';

/** By how many pixels an arrow key moves the edge. */
const keyStep = 16;

interface ColumnResizerProps {
  readonly column: string;
  /** The name for screen readers. */
  readonly name: string;
  /** The chosen width. If undefined, the column is as wide as its content. */
  readonly pixels: number | undefined;
}

/**
 * The right edge of a column's head. Dragging or arrow keys move it; a double click fits the column
 * to its content.
 */
export function ColumnResizer({ column, name, pixels }: ColumnResizerProps) {
  const { view } = useWorld();
  const from = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const set = (width: number | null): void => {
    const others = view.value.columnWidths.filter(({ key }) => key !== column);
    const { min, max } = columnWidthRange;
    const own = width === null ? [] : [{ key: column, pixels: Math.round(Math.min(max, Math.max(min, width))) }];
    changeView(view, { columnWidths: [...others, ...own] });
  };
  const widthOf = (element: Element): number => element.closest('th')!.getBoundingClientRect().width;
  const start = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.preventDefault(); // the head itself is dragged to move the column
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = { x: event.clientX, width: widthOf(event.currentTarget) };
  };
  const move = ({ clientX }: PointerEvent): void => {
    if (from.current) set(from.current.width + clientX - from.current.x);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -keyStep, ArrowRight: keyStep }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    set(widthOf(event.currentTarget) + by);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator that can be focused is a widget
    <div
      className="column-resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${name}`}
      aria-valuemin={columnWidthRange.min}
      aria-valuemax={columnWidthRange.max}
      aria-valuenow={pixels ?? 0}
      aria-valuetext={pixels === undefined ? 'as wide as its content' : `${pixels} pixels`}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the same
      tabIndex={0}
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={start}
      onPointerMove={move}
      onPointerUp={() => (from.current = null)}
      onPointerCancel={() => (from.current = null)}
      onDoubleClick={() => set(null)}
      onKeyDown={onKeyDown}
    />
  );
}
