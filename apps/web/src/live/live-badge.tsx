import { useEffect, useState } from 'react';
import { useStore } from '../app/store.ts';
import { useWorld } from '../experiment/experiment-context.ts';
import { liveText } from './live-state.ts';

/** Whether data is still arriving, and how far the page is behind. */
export function LiveBadge() {
  const state = useStore(useWorld().live, (value) => value);
  const now = useClock(state.grewAt !== null || state.behindSince !== null || state.lostAt !== null);
  const said = liveText(state, now);
  if (!said) return null;
  return <span className={`live${said.live ? ' on' : ''}`}>{said.text}</span>;
}

/** The current time, updated every half second while it is needed. */
function useClock(running: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
