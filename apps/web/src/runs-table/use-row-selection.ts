import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * Selects or deselects some runs in addition to the others. It is the same function each time: rows
 * whose content is the same are not rendered again.
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
