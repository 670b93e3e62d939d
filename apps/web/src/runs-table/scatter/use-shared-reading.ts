import { useEffect } from 'react';
import { nowhere, useWorld } from '../../experiment/experiment-context.ts';

/**
 * Shares which run is being read in a plot, so that the table highlights it. Null if there is none.
 */
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
