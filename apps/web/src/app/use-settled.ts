import { useEffect, useRef, useState } from 'react';

/** The value, once it has been unchanged for this long. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Like `useSettled`, but does not delay the first change after a quiet period of this length. */
export function useThrottled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  const changed = useRef(-Infinity);
  useEffect(() => {
    const now = performance.now();
    const wait = now - changed.current > ms ? 0 : ms;
    changed.current = now;
    const timer = setTimeout(() => setSettled(value), wait);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
