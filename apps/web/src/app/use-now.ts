import { useEffect, useState } from 'react';

/** The time in ms since 1970, updated at this interval. If null, the time is not updated. */
export function useNow(everyMs: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (everyMs === null) return;
    const tick = (): void => setNow(Date.now());
    const first = setTimeout(tick); // the last time may be long ago
    const timer = setInterval(tick, everyMs);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [everyMs]);
  return now;
}
