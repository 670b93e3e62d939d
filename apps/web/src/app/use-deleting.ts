import { useEffect, useMemo, useRef, useState } from 'react';
import { problemText } from '../api/problem.ts';

/** How long a deletion can be undone. */
const undoMs = 10_000;

/** A deletion that can still be undone, and the error of the last one. */
export interface Deleting<T> {
  /** Schedules the deletion of these items; an earlier pending deletion is sent immediately. */
  remove(items: readonly T[]): void;
  undo(): void;
  readonly pending: readonly T[];
  /** Keys of hidden items. */
  readonly gone: ReadonlySet<string>;
  readonly error: string | null;
}

/**
 * Deletes items after a delay during which the deletion can be undone. Leaving the page ends the
 * delay. `send` deletes the items; its `keepalive` says whether to finish even if the reader leaves
 * the page.
 */
export function useDeleting<T>(keyOf: (item: T) => string, send: (items: readonly T[], keepalive: boolean) => Promise<void>): Deleting<T> {
  const [pending, setPending] = useState<readonly T[]>([]);
  const [error, setError] = useState<string | null>(null);
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const waiting = useRef<{ readonly items: readonly T[]; readonly timer: ReturnType<typeof setTimeout> } | null>(null);
  const latest = useRef({ keyOf, send });
  latest.current = { keyOf, send };
  const actions = useMemo(() => {
    const back = (items: readonly T[]): void => {
      const keys = new Set(items.map(latest.current.keyOf));
      setGone((all) => new Set([...all].filter((key) => !keys.has(key))));
    };
    const flush = (keepalive = false): void => {
      const { current } = waiting;
      if (!current) return;
      clearTimeout(current.timer);
      waiting.current = null;
      setPending([]);
      latest.current.send(current.items, keepalive).catch((reason: Error) => {
        back(current.items);
        setError(problemText(reason));
      });
    };
    return {
      flush,
      remove: (items: readonly T[]): void => {
        flush();
        setError(null);
        setGone((all) => new Set([...all, ...items.map(latest.current.keyOf)]));
        setPending(items);
        waiting.current = { items, timer: setTimeout(flush, undoMs) };
      },
      undo: (): void => {
        const { current } = waiting;
        if (!current) return;
        clearTimeout(current.timer);
        waiting.current = null;
        setPending([]);
        back(current.items);
      },
    };
  }, []);
  useEffect(() => {
    const leave = (): void => actions.flush(true);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      actions.flush(true);
    };
  }, [actions]);
  return useMemo(() => ({ remove: actions.remove, undo: actions.undo, pending, gone, error }), [actions, pending, gone, error]);
}
