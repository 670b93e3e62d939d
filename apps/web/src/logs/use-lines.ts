import { useEffect, useReducer, useRef } from 'react';
import { useWorld } from '../experiment/experiment-context.ts';
import { blockLines, type LineJson, readLines } from './log-api.ts';

/** Maximum number of stored lines; lines far away are dropped. */
const maxKept = 20_000;

interface Lines {
  of(line: number): LineJson | undefined;
  readonly error: Error | null;
  retry(): void;
}

/**
 * The lines of a log from `first` to `last` that are loaded. Missing lines are requested in blocks.
 * `total`: how many lines the log has now; the last line may still grow.
 */
export function useLines(fileId: string, first: number, last: number, total: number): Lines {
  const { api, id } = useWorld();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const kept = useRef({ fileId, total, lines: new Map<number, LineJson>() });
  const error = useRef<Error | null>(null);
  if (kept.current.fileId !== fileId) kept.current = { fileId, total, lines: new Map() };
  if (kept.current.total !== total) {
    // The line that was last until now may have been unfinished.
    kept.current.lines.delete(kept.current.total);
    kept.current.total = total;
  }
  const missing = firstMissing(kept.current.lines, first, last);
  const failed = error.current;
  useEffect(() => {
    if (missing === null || failed) return;
    const abort = new AbortController();
    const { lines } = kept.current;
    // A block that will probably be mostly in view soon, even if the reader scrolls up.
    const from = missing === first ? Math.max(1, missing - blockLines / 4) : missing;
    readLines(api, id, fileId, from, abort.signal).then(
      (found) => {
        if (abort.signal.aborted) return;
        if (lines.size > maxKept)
          for (const line of lines.keys()) if (line < first - maxKept / 4 || line > last + maxKept / 4) lines.delete(line);
        for (const one of found) lines.set(one.line, one);
        // Long lines can fill a response before it includes the line in view.
        if (!lines.has(missing)) lines.set(missing, { line: missing, text: '' });
        redraw();
      },
      (failure: unknown) => {
        if (abort.signal.aborted) return;
        error.current = failure instanceof Error ? failure : new Error(String(failure));
        redraw();
      },
    );
    return () => abort.abort();
    // oxlint-disable-next-line react/exhaustive-deps -- the range only says what may be dropped
  }, [api, id, fileId, missing, failed]);
  return {
    of: (line) => kept.current.lines.get(line),
    error: error.current,
    retry: () => {
      error.current = null;
      redraw();
    },
  };
}

function firstMissing(lines: ReadonlyMap<number, LineJson>, first: number, last: number): number | null {
  for (let line = first; line <= last; line++) if (!lines.has(line)) return line;
  return null;
}
