import { useState } from 'react';
import { indexAfter } from '../../plot/index-after.ts';
import type { PlotPlace } from '../../plot/use-pointer.ts';
import { useSharedReading } from './use-shared-reading.ts';

interface ReadablePlot {
  /** The readable items (points or lines), in the order of the keys. */
  readonly order: readonly number[];
  /** The run of an item. */
  readonly runOf: (item: number) => string;
  /** The keys for the next item and for the previous one. */
  readonly keys: readonly [next: string, previous: string];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

/**
 * One run of a plot can be read, with the pointer or with keys, and selected. The run remains the
 * same when the plot changes, and the table highlights it.
 */
export function usePlotReading({ order, runOf, keys: [next, previous], selected, onSelect }: ReadablePlot) {
  const [reading, setReading] = useState<{ readonly run: string; readonly pointer: PlotPlace | null } | null>(null);
  const at = reading === null ? -1 : (order.find((item) => runOf(item) === reading.run) ?? -1);
  useSharedReading(at < 0 ? null : runOf(at));
  /** `pointer` is null for keys. Item -1 means none. */
  const read = (item: number, pointer: PlotPlace | null): void => setReading(item < 0 ? null : { run: runOf(item), pointer });
  const toggle = (item: number): void => {
    if (item < 0) return;
    const runs = new Set(selected);
    if (!runs.delete(runOf(item))) runs.add(runOf(item));
    onSelect(runs);
  };
  /** Whether the key had an effect. */
  const onKey = (key: string): boolean => {
    const wanted = indexAfter(key, { now: order.indexOf(at), count: order.length, next, previous });
    if (wanted !== null) read(order[wanted] ?? -1, null);
    else if (key === 'Enter' && at >= 0) toggle(at);
    else if (key === 'Escape' && reading) setReading(null);
    else return false;
    return true;
  };
  return {
    /** The item that is read; -1 if none is. */
    at,
    /** The position of the pointer; null if keys are used, or nothing is read. */
    pointer: reading?.pointer ?? null,
    byKey: reading !== null && reading.pointer === null,
    read,
    clear: (): void => setReading(null),
    toggle,
    onKey,
  };
}
