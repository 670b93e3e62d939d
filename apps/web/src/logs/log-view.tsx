import { useQuery } from '@tanstack/react-query';
import { MainArea } from '../app/main-area.tsx';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { formatCount } from '#charts';
import { problemText } from '../api/problem.ts';
import { Icon } from '../app/icons.tsx';
import { useSettled } from '../app/use-settled.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { ansiParts } from './ansi.ts';
import { type LogJson, readLog } from './log-api.ts';
import { heightOf, lineHeight, scrollTo, windowAt } from './log-window.ts';
import { LogSearch } from './log-search.tsx';
import { useLines } from './use-lines.ts';

/** How often to poll a log for new lines while it grows, and otherwise. */
const growingMs = 2_000;
const quietMs = 10_000;
/** How long scrolling must have stopped before lines are requested, in milliseconds. */
const settleMs = 80;

/**
 * One log: the lines near the viewport, which can follow the log's end. `choice`: the control that
 * selects the log.
 */
export function LogView({ log, choice }: { readonly log: LogJson; readonly choice: ReactNode }) {
  const { experiment } = useContents();
  const now = useGrowing(log, experiment.snapshot !== null);
  const total = Number(now.lines);
  const scroller = useRef<HTMLDivElement>(null);
  const [{ top, height }, setPlace] = useState({ top: Infinity, height: 600 });
  const [follows, setFollows] = useState(true);
  const [marked, setMarked] = useState<{ readonly line: number | null; readonly text: string }>({ line: null, text: '' });
  const seen = windowAt(total, top, height);
  const wanted = useSettled(`${seen.first} ${seen.last}`, settleMs).split(' ').map(Number);
  const { of, error, retry } = useLines(log.file_id, Math.max(1, wanted[0]!), Math.min(total, wanted[1]!), total);

  useEffect(() => {
    const element = scroller.current!;
    const measure = (): void => setPlace({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = scroller.current!;
    if (follows) element.scrollTop = element.scrollHeight;
  }, [follows, total, height]);

  const onScroll = (): void => {
    const element = scroller.current!;
    setPlace({ top: element.scrollTop, height: element.clientHeight });
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < lineHeight;
    if (isAtEnd !== follows && (isAtEnd || element.scrollTop < top)) setFollows(isAtEnd);
  };
  const show = (line: number, text: string): void => {
    setFollows(false);
    setMarked({ line, text });
    scroller.current!.scrollTop = scrollTo(line, total, height);
  };
  return (
    <>
      <section className="toolbar log-toolbar" aria-label="The log">
        {choice}
        <LogSearch fileId={log.file_id} total={total} onShow={show} onClear={() => setMarked({ line: null, text: '' })} />
        <span className="spread" />
        <span className="dim">
          {formatCount(total)} {total === 1 ? 'line' : 'lines'}
        </span>
        <button type="button" aria-pressed={follows} title="Scroll to new lines as they arrive" onClick={() => setFollows(!follows)}>
          Follow
        </button>
        <Download log={log} />
      </section>
      <MainArea className="log" aria-busy={error === null && !allIn(of, seen.first, seen.last)}>
        {!now.kept && <p className="dim">The text of this log is not stored.</p>}
        {error && (
          <p className="bad" role="alert">
            {problemText(error)}{' '}
            <button type="button" onClick={retry}>
              Try again
            </button>
          </p>
        )}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
        <div className="log-lines" ref={scroller} role="region" aria-label="Log lines" tabIndex={0} onScroll={onScroll}>
          <div className="log-height" style={{ height: heightOf(total) }}>
            <div className="log-window" style={{ transform: `translateY(${-seen.above}px)` }}>
              {Array.from({ length: Math.max(0, seen.last - seen.first + 1) }, (_, i) => seen.first + i).map((line) => (
                <Line
                  key={line}
                  line={line}
                  text={of(line)?.text}
                  cut={of(line)?.cut === true}
                  marked={marked.line === line}
                  found={marked.text}
                />
              ))}
            </div>
          </div>
        </div>
      </MainArea>
    </>
  );
}

interface LineProps {
  readonly line: number;
  /** Absent if not loaded yet. */
  readonly text: string | undefined;
  readonly cut: boolean;
  readonly marked: boolean;
  /** The text to search for. Empty for no search. */
  readonly found: string;
}

function Line({ line, text, cut, marked, found }: LineProps) {
  const isFound = found !== '' && text?.toLowerCase().includes(found.toLowerCase());
  return (
    <div className={`log-line${marked ? ' marked' : ''}${isFound ? ' found' : ''}`} data-line={line}>
      <span className="log-number" aria-hidden="true">
        {line}
      </span>
      <span className="log-text">
        {text === undefined
          ? ' '
          : ansiParts(text).map((part, i) => (
              <span key={i} className={part.className === '' ? undefined : part.className}>
                {part.text}
              </span>
            ))}
        {cut && <span className="dim"> … (line truncated)</span>}
      </span>
    </div>
  );
}

function Download({ log }: { readonly log: LogJson }) {
  const { api, id } = useWorld();
  const { experiment } = useContents();
  // Links that hide files do not allow downloads either.
  if (experiment.owner === null || experiment.points === null) return null;
  return (
    <a className="button" href={api.at(`/files/${log.file_id}/content?experiment=${id}`)} download={log.name} title="Save the whole log">
      <Icon name="download" /> Save
    </a>
  );
}

/** The current state of the log, polled while the log may grow. */
function useGrowing(log: LogJson, isFixed: boolean): LogJson {
  const { api, id } = useWorld();
  const grewAt = useRef(0);
  const { data = log } = useQuery({
    queryKey: ['log', id, log.file_id],
    queryFn: async ({ signal, client, queryKey }) => {
      const now = await readLog(api, id, log, signal);
      const before = client.getQueryData<LogJson>(queryKey);
      if (before && Number(now.lines) > Number(before.lines)) grewAt.current = Date.now();
      return now;
    },
    enabled: log.kept,
    refetchInterval: ({ state }) => {
      if (isFixed || state.data?.complete === true) return quietMs;
      return Date.now() - grewAt.current < 60_000 ? growingMs : quietMs / 2;
    },
  });
  return data;
}

function allIn(of: (line: number) => unknown, first: number, last: number): boolean {
  for (let line = first; line <= last; line++) if (of(line) === undefined) return false;
  return true;
}
