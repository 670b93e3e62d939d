import { useEffect } from 'react';
import { nowhere, useWorld } from '../../experiment/experiment-context.ts';

/** While a plot reads a run, the table shows which one it is. Null: none. */
export function useSharedReading(run: string | null): void {
  const { hover } = useWorld();
  useEffect(() => {
    if (run === null) return;
    hover.set({ run, x: null });
    return () => {
      if (hover.value.run === run) hover.set(nowhere);
    };
  }, [hover, run]);
}
