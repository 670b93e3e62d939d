import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, useEffect, useMemo, useRef, useState } from 'react';
import { visibleText } from '#charts';
import { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { ExperimentJson } from '../api/types.ts';
import { LaterDialog } from '../app/boundary.tsx';
import { ColumnMenu } from '../app/column-menu.tsx';
import { Frame } from '../app/frame.tsx';
import { later } from '../app/later.ts';
import { usePage } from '../app/page-context.ts';
import { useStars } from '../app/stars.ts';
import { useDeleting } from '../app/use-deleting.ts';
import { narrowQuery, useMedia } from '../app/theme.ts';
import { columnNames, columnsWithRoom, ExperimentTable } from './experiment-table.tsx';
import { experimentsKey, type ExperimentsPage } from './experiments-key.ts';
import { homeColumns, type HomeView, listParameters } from './home-view.ts';
import { ListNotes } from './list-notes.tsx';
import type { RowActions } from './row-menu.tsx';
import { SelectedExperiments } from './selected-experiments.tsx';
import { Start } from './start.tsx';
import { useArchivingExperiments } from './use-archiving-experiments.ts';
import { useSettled } from '../app/use-settled.ts';

const ChangeExperiment = later(() => import('./change-experiment.tsx'));

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
  const { label, archived, starred, order, descending } = view;
  const { stars } = useStars();
  const isFiltered = view.text !== '' || label !== '' || starred;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [changing, setChanging] = useState<Omit<ComponentProps<typeof ChangeExperiment>, 'api' | 'onClose'> | null>(null);
  const client = useQueryClient();
  const deleting = useDeleting<ExperimentJson>(
    ({ id }) => id,
    async (experiments, keepalive) => {
      // All at once: the page may be leaving
      const results = await Promise.allSettled(experiments.map(({ id }) => api.remove(`/experiments/${id}`, keepalive)));
      void client.invalidateQueries({ queryKey: ['experiments'] });
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
  );
  const archiving = useArchivingExperiments(api);
  const started = useRef(false);
  const hasArrived = useRef(false);
  const list = useInfiniteQuery({
    queryKey: experimentsKey({ text, label, archived, starred, order, descending }, stars),
    queryFn: async ({ pageParam, signal }): Promise<ExperimentsPage> => {
      const parameters = new URLSearchParams({
        newest_run: 'true',
        ...listParameters({ text, label, archived, starred, order, descending }, stars),
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
  const pages = list.data?.pages.map((one) => ({ ...one, experiments: one.experiments.filter(({ id }) => !deleting.gone.has(id)) }));
  const experiments = pages?.flatMap((one) => one.experiments);
  const chosen = (experiments ?? []).filter(({ id }) => selected.has(id));
  const actions: RowActions = {
    onChange: (what, changed) => setChanging({ what, experiments: changed }),
    onArchive: (changed, away) => {
      archiving.archive({ experiments: changed, archived: away });
      setSelected(new Set());
    },
    onDelete: (removed) => {
      deleting.remove(removed);
      setSelected(new Set());
    },
  };
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
              <input type="checkbox" checked={starred} onChange={({ target }) => onView({ ...view, starred: target.checked })} />
              Starred only
            </label>
            <label className="choice">
              <input type="checkbox" checked={archived} onChange={({ target }) => onView({ ...view, archived: target.checked })} />
              Include archived
            </label>
            {(isFiltered || isListed) && (
              <input
                type="search"
                className="text-field"
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
        <ListNotes deleting={deleting} archiving={archiving} />
        {chosen.length > 0 && <SelectedExperiments experiments={chosen} {...actions} onClear={() => setSelected(new Set())} />}
        {pages && isListed && (
          <ExperimentTable pages={pages} view={view} onView={onView} selected={selected} onSelect={setSelected} actions={actions} />
        )}
        {experiments?.length === 0 && isFiltered && (
          <p className="dim">
            No experiment has{' '}
            {[starred && 'a star', text !== '' && `“${text}” in its name`, label !== '' && `the label “${visibleText(label)}”`]
              .filter(Boolean)
              .join(' and ')}
            .
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
        {changing && (
          <LaterDialog title={changing.what === 'rename' ? 'Rename' : 'Labels'} onClose={() => setChanging(null)}>
            <ChangeExperiment api={api} {...changing} onClose={() => setChanging(null)} />
          </LaterDialog>
        )}
      </main>
    </Frame>
  );
}
