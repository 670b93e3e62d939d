import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * Adds some runs to the selection, or removes them from it. The returned function never changes, so
 * that rows with unchanged content are not rendered again.
 */
export function useRowSelection(selected: ReadonlySet<string>, onSelect: (runs: ReadonlySet<string>) => void) {
  const current = useRef({ selected, onSelect });
  useLayoutEffect(() => {
    current.current = { selected, onSelect };
  });
  return useCallback((runs: readonly string[], isSelected: boolean): void => {
    const next = new Set(current.current.selected);
    for (const run of runs)
      if (isSelected) next.add(run);
      else next.delete(run);
    current.current.onSelect(next);
  }, []);
}
