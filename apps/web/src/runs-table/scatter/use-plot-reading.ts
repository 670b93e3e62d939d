import { useState } from 'react';
import { indexAfter } from '../../plot/index-after.ts';
import type { PlotPlace } from '../../plot/use-pointer.ts';
import { useSharedReading } from './use-shared-reading.ts';

interface ReadablePlot {
  /** The readable items (points or lines), in the order in which keys reach them. */
  readonly order: readonly number[];
  /** The run of an item. */
  readonly runOf: (item: number) => string;
  /** The keys that move to the next and to the previous item. */
  readonly keys: readonly [next: string, previous: string];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

/**
 * Reads one run of a plot, with the pointer or with keys, and selects runs. The run stays the same
 * when the plot changes, and the table highlights it.
 */
export function usePlotReading({ order, runOf, keys: [next, previous], selected, onSelect }: ReadablePlot) {
  const [reading, setReading] = useState<{ readonly run: string; readonly pointer: PlotPlace | null } | null>(null);
  const at = reading === null ? -1 : (order.find((item) => runOf(item) === reading.run) ?? -1);
  useSharedReading(at < 0 ? null : runOf(at));
  /** `pointer`: null if a key was used. Item -1 means none. */
  const read = (item: number, pointer: PlotPlace | null): void => setReading(item < 0 ? null : { run: runOf(item), pointer });
  const toggle = (item: number): void => {
    if (item < 0) return;
    const runs = new Set(selected);
    if (!runs.delete(runOf(item))) runs.add(runOf(item));
    onSelect(runs);
  };
  /** Returns whether the key had an effect. */
  const onKey = (key: string): boolean => {
    const wanted = indexAfter(key, { now: order.indexOf(at), count: order.length, next, previous });
    if (wanted !== null) read(order[wanted] ?? -1, null);
    else if (key === 'Enter' && at >= 0) toggle(at);
    else if (key === 'Escape' && reading) setReading(null);
    else return false;
    return true;
  };
  return {
    /** The item being read; -1 if there is none. */
    at,
    /** The pointer's position. Null if keys are used, or nothing is being read. */
    pointer: reading?.pointer ?? null,
    byKey: reading !== null && reading.pointer === null,
    read,
    clear: (): void => setReading(null),
    toggle,
    onKey,
  };
}
