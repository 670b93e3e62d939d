import { type ComponentProps, useEffect, useMemo, useRef, useState } from 'react';
import { visibleText } from '#charts';
import { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import { LaterDialog } from '../app/boundary.tsx';
import { Frame } from '../app/frame.tsx';
import { later } from '../app/later.ts';
import { usePage } from '../app/page-context.ts';
import { ExperimentTable } from './experiment-table.tsx';
import { HomeTools } from './home-tools.tsx';
import type { HomeView } from './home-view.ts';
import { ListNotes } from './list-notes.tsx';
import type { RowActions } from './row-menu.tsx';
import { SelectedExperiments } from './selected-experiments.tsx';
import { Start } from './start.tsx';
import { useArchivingExperiments } from './use-archiving-experiments.ts';
import { useDeletingExperiments } from './use-deleting-experiments.ts';
import { useExperimentList } from './use-experiment-list.ts';

const ChangeExperiment = later(() => import('./change-experiment.tsx'));

interface HomeScreenProps {
  readonly view: HomeView;
  readonly onView: (view: HomeView) => void;
}

/** The workspace's experiments, newest first by default, and instructions for uploading one. */
export function HomeScreen({ view, onView }: HomeScreenProps) {
  const page = usePage();
  const api = useMemo(() => new Api(page.base), [page.base]);
  const { label, archived, starred } = view;
  const isFiltered = view.text !== '' || label !== '' || starred;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [changing, setChanging] = useState<Omit<ComponentProps<typeof ChangeExperiment>, 'api' | 'onClose'> | null>(null);
  const deleting = useDeletingExperiments(api);
  const archiving = useArchivingExperiments(api);
  const started = useRef(false);
  const hasArrived = useRef(false);
  const { list, text } = useExperimentList(api, view, () => started.current && !hasArrived.current);
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
  // Stays until the reader leaves the page, because its last step turns into the first chart
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
          <HomeTools view={view} onView={onView} canSearch={isFiltered || isListed} isListed={isListed} />
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
