import { useRef, useState } from 'react';
import { formatCount } from '#charts';
import { problemText } from '../api/problem.ts';
import { useWorld } from '../experiment/experiment-context.ts';
import { type LineJson, searchLog } from './log-api.ts';

interface LogSearchProps {
  readonly fileId: string;
  /** Lines of the log. */
  readonly total: number;
  readonly onShow: (line: number, text: string) => void;
  readonly onClear: () => void;
}

interface Result {
  readonly text: string;
  readonly matches: readonly LineJson[];
  /** Where the search continues. Null if it reached the end. */
  readonly next: number | null;
  readonly at: number;
}

/** Searches all lines of a log, and moves between matches. */
export function LogSearch({ fileId, total, onShow, onClear }: LogSearchProps) {
  const { api, id } = useWorld();
  const [text, setText] = useState('');
  const [result, setResult] = useState<Result | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const request = useRef<AbortController | null>(null);

  /** Continues the search until the next match or the end. */
  const more = async (from: Result): Promise<Result> => {
    let { matches, next } = from;
    const abort = (request.current = new AbortController());
    while (next !== null && matches.length === from.matches.length) {
      const found = await searchLog(api, id, fileId, from.text, next, abort.signal);
      matches = [...matches, ...found.content];
      next = found.next;
    }
    return { ...from, matches, next };
  };
  const go = async (step: 1 | -1): Promise<void> => {
    const wanted = text.trim();
    if (wanted === '' || busy) return;
    const isNew = result?.text !== wanted;
    let now = isNew ? { text: wanted, matches: [], next: 1, at: -1 } : result;
    setBusy(true);
    setProblem(null);
    try {
      if (step > 0 && now.at + 1 >= now.matches.length && now.next !== null) now = await more(now);
      const count = now.matches.length;
      if (count > 0) now = { ...now, at: (now.at + step + count) % count };
      setResult(now);
      const match = now.matches[now.at];
      if (match && match.line <= total) onShow(match.line, wanted);
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  const clear = (next: string): void => {
    request.current?.abort();
    setText(next);
    setProblem(null);
    if (next.trim() === '') {
      setResult(null);
      onClear();
    }
  };
  const isCurrent = result !== null && result.text === text.trim();
  return (
    <form
      className="log-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        void go(1);
      }}
    >
      <input
        type="search"
        className="text-field tags"
        placeholder="Search the log"
        aria-label="Search the log"
        maxLength={200}
        value={text}
        onChange={({ target }) => clear(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !event.shiftKey) return;
          event.preventDefault();
          void go(-1);
        }}
      />
      <button type="button" disabled={!isCurrent || result.matches.length === 0 || busy} onClick={() => void go(-1)}>
        Previous
      </button>
      <button type="submit" disabled={text.trim() === '' || busy}>
        Next
      </button>
      <span className="dim" role="status">
        {busy ? 'Searching …' : isCurrent ? countOf(result) : ''}
      </span>
      {problem !== null && (
        <span className="bad" role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}

function countOf({ matches, next, at }: Result): string {
  if (matches.length === 0) return 'No match';
  return `${formatCount(at + 1)} of ${formatCount(matches.length)}${next === null ? '' : '+'}`;
}
