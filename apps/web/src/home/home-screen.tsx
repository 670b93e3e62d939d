import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { visibleText } from '#charts';
import { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import { ColumnMenu } from '../app/column-menu.tsx';
import { Frame } from '../app/frame.tsx';
import { usePage } from '../app/page-context.ts';
import { narrowQuery, useMedia } from '../app/theme.ts';
import { columnNames, columnsWithRoom, ExperimentTable } from './experiment-table.tsx';
import { experimentsKey, type ExperimentsPage } from './experiments-key.ts';
import { homeColumns, type HomeView, listParameters } from './home-view.ts';
import { Start } from './start.tsx';
import { useSettled } from '../app/use-settled.ts';

/** Maximum age of the list. */
const refreshMs = 15_000;
/** The same while the first data is awaited. */
const waitingMs = 2_000;
/** Pause in typing before the server is queried. */
const typingMs = 200;

interface HomeScreenProps {
  readonly view: HomeView;
  readonly onView: (view: HomeView) => void;
}

/** The experiments of the workspace, newest first by default, and how to upload one. */
export function HomeScreen({ view, onView }: HomeScreenProps) {
  const page = usePage();
  const api = useMemo(() => new Api(page.base), [page.base]);
  const narrow = useMedia(narrowQuery);
  const text = useSettled(view.text.trim(), typingMs);
  const { label, archived, order, descending } = view;
  const isFiltered = view.text !== '' || label !== '';
  const started = useRef(false);
  const hasArrived = useRef(false);
  const list = useInfiniteQuery({
    queryKey: experimentsKey({ text, label, archived, order, descending }),
    queryFn: async ({ pageParam, signal }): Promise<ExperimentsPage> => {
      const parameters = new URLSearchParams({
        ...listParameters({ text, label, archived, order, descending }),
        ...(pageParam && { page_token: pageParam }),
      });
      const { body, ahead } = await api.getTimed<Omit<ExperimentsPage, 'ahead'>>(`/experiments?${parameters}`, signal);
      return { ...body, ahead };
    },
    initialPageParam: '',
    getNextPageParam: ({ next_page_token: next }) => next,
    placeholderData: (before) => before,
    staleTime: refreshMs,
    refetchInterval: () => (started.current && !hasArrived.current ? waitingMs : refreshMs),
  });
  useEffect(() => {
    document.title = 'Experiments · Plotline';
  }, []);
  const experiments = list.data?.pages.flatMap((one) => one.experiments);
  const isListed = (experiments?.length ?? 0) > 0;
  // Stays until the reader leaves the page: its last step turns into the first chart
  if (experiments?.length === 0 && !isFiltered && !archived && !list.isPlaceholderData) started.current = true;
  const isStarting = started.current && !isFiltered && !archived;
  const arrived = experiments?.find(({ points }) => Number(points ?? 0) > 0) ?? null;
  hasArrived.current = arrived !== null;
  return (
    <Frame>
      <main className="page" aria-busy={list.isPending}>
        <div className="page-head">
          <h1>{isStarting && !isListed ? 'Start your first experiment' : 'Experiments'}</h1>
          {label !== '' && (
            <button
              type="button"
              className="chip"
              onClick={() => onView({ ...view, label: '' })}
              title="Show experiments without this label too"
            >
              {visibleText(label)} ×
            </button>
          )}
          <div className="page-tools">
            <label className="choice">
              <input type="checkbox" checked={archived} onChange={({ target }) => onView({ ...view, archived: target.checked })} />
              Include archived
            </label>
            {(isFiltered || isListed) && (
              <input
                type="search"
                className="filter"
                placeholder="Search names"
                aria-label="Search experiments by name"
                value={view.text}
                onChange={({ target }) => onView({ ...view, text: target.value })}
              />
            )}
            {isListed && (
              <ColumnMenu
                columns={homeColumns.map((key) => ({ key, name: columnNames[key] }))}
                shown={view.columns ?? columnsWithRoom(narrow)}
                onShown={(columns) => onView({ ...view, columns: homeColumns.filter((one) => columns.includes(one)) })}
              />
            )}
          </div>
        </div>
        {page.warnings?.map((warning) => (
          <p key={warning} className="bad">
            {warning}
          </p>
        ))}
        {list.error && !experiments && <p>{problemText(list.error)}</p>}
        {list.data && isListed && <ExperimentTable pages={list.data.pages} view={view} onView={onView} />}
        {experiments?.length === 0 && isFiltered && (
          <p className="dim">
            No experiment has {text !== '' && <>“{text}” in its name</>}
            {text !== '' && label !== '' && ' and '}
            {label !== '' && <>the label “{visibleText(label)}”</>}.
          </p>
        )}
        {list.hasNextPage && (
          <button type="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show older
          </button>
        )}
        {isStarting && <Start api={api} arrived={arrived} />}
        {experiments && !isFiltered && !isStarting && (
          <details className="more-uploads">
            <summary>Upload another experiment</summary>
            <Start api={api} />
          </details>
        )}
      </main>
    </Frame>
  );
}
