import { type KeyboardEvent, useState } from 'react';
import { useSharedReading } from './use-shared-reading.ts';

/** Pixels of a plot. */
export interface PlotPlace {
  readonly x: number;
  readonly y: number;
}

interface ReadablePlot {
  /** What can be read (points, or lines), in the order of the keys. */
  readonly order: readonly number[];
  /** The run of one of them. */
  readonly runOf: (item: number) => string;
  /** The keys for the next item and for the previous one. */
  readonly keys: readonly [next: string, previous: string];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

/**
 * One run of a plot can be read, with the pointer or with keys, and selected. It stays the same run
 * when the plot changes, and the table marks it.
 */
export function usePlotReading({ order, runOf, keys: [next, previous], selected, onSelect }: ReadablePlot) {
  const [reading, setReading] = useState<{ readonly run: string; readonly pointer: PlotPlace | null } | null>(null);
  const at = reading === null ? -1 : (order.find((item) => runOf(item) === reading.run) ?? -1);
  useSharedReading(at < 0 ? null : runOf(at));
  /** `pointer` null: with keys. Item -1: none. */
  const read = (item: number, pointer: PlotPlace | null): void => setReading(item < 0 ? null : { run: runOf(item), pointer });
  const toggle = (item: number): void => {
    if (item < 0) return;
    const runs = new Set(selected);
    if (!runs.delete(runOf(item))) runs.add(runOf(item));
    onSelect(runs);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = order.indexOf(at);
    const last = order.length - 1;
    const wanted = { [next]: now + 1, [previous]: now < 0 ? last : now - 1, Home: 0, End: last }[event.key];
    if (wanted !== undefined) read(order[Math.max(0, Math.min(last, wanted))] ?? -1, null);
    else if (event.key === 'Enter' && at >= 0) toggle(at);
    else if (event.key === 'Escape' && reading) setReading(null);
    else return;
    event.preventDefault();
  };
  return {
    /** The item that is read; -1: none. */
    at,
    /** Where the pointer reads it; null: keys do, or nothing is read. */
    pointer: reading?.pointer ?? null,
    byKey: reading !== null && reading.pointer === null,
    read,
    clear: (): void => setReading(null),
    toggle,
    onKeyDown,
  };
}
