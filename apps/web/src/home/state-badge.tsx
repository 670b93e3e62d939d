import { useEffect, useReducer } from 'react';
import type { ExperimentJson } from '../api/types.ts';
import { liveMs } from '../live/live-state.ts';

interface StateBadgeProps {
  readonly experiment: ExperimentJson;
  /** By how many ms the server's clock is ahead of the reader's. */
  readonly ahead: number;
}

/**
 * Shows that data arrived within the last minute, or is not visible yet. Otherwise renders nothing.
 */
export function StateBadge({ experiment: { received, frontier }, ahead }: StateBadgeProps) {
  const isLive = useIsBefore(received === null ? 0 : Date.parse(received) + liveMs - ahead);
  if (isLive) return <span className="live on">live</span>;
  if (frontier.visible) return null;
  return (
    <span className="live" title="The latest data is not visible yet">
      behind
    </span>
  );
}

/**
 * Whether a time on the reader's clock, in ms since 1970, is in the future. The component is
 * rendered again once that time has passed.
 */
function useIsBefore(moment: number): boolean {
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    const left = moment - Date.now();
    if (left <= 0) return;
    const timer = setTimeout(redraw, left + 1); // not earlier
    return () => clearTimeout(timer);
  }, [moment]);
  return Date.now() < moment;
}
