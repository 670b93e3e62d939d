import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText, formatCount, formatShort, plainView, type Tab, visibleText } from '#charts';
import type { ExperimentJson } from '../api/types.ts';
import { LaterDialog } from '../app/boundary.tsx';
import { later } from '../app/later.ts';
import { OpeningLink } from '../app/opening-link.tsx';
import { usePage } from '../app/page-context.ts';
import { useStore } from '../app/store.ts';
import { tabOf } from '../data/tabs.ts';
import { Labels } from '../notes/labels.tsx';
import { changeView } from './change-view.ts';
import { useContents, useView, useWorld } from './experiment-context.ts';
import { openingView, rememberedText } from './remembered-text.ts';
import { ExperimentTitle } from './experiment-title.tsx';

const ReceiptDialog = later(() => import('../receipt/receipt-dialog.tsx'));
const ProblemsDialog = later(() => import('../receipt/problems-dialog.tsx'));

/** The experiment's name, and a line with owner, time and size. `children`: the actions. */
export function ExperimentHead({ experiment, children }: { readonly experiment: ExperimentJson; readonly children: ReactNode }) {
  const { api, id } = useWorld();
  const [opened, setOpened] = useState<'receipt' | 'problems' | null>(null);
  const close = () => setOpened(null);
  const { description, owner, runs, points, labels, archived } = experiment;
  const seesFiles = owner !== null && points !== null;
  return (
    <section className="experiment-head" aria-label="Experiment">
      <ExperimentTitle experiment={experiment} />
      {description !== '' && (
        <p className="about cut" title={visibleText(description)}>
          {visibleText(description)}
        </p>
      )}
      <p className="facts">
        {owner && <span>{visibleText(owner.name)}</span>}
        <span>{new Date(experiment.created).toISOString().slice(0, 10)}</span>
        <span>
          {formatCount(runs)} {runs === 1 ? 'run' : 'runs'}
        </span>
        {points !== null && <Contents points={Number(points)} />}
        {seesFiles && (
          <OpeningLink href={api.at(`/experiments/${id}/receipt`)} onOpen={() => setOpened('receipt')}>
            Upload receipt
          </OpeningLink>
        )}
        {seesFiles && <Problems id={id} onOpen={() => setOpened('problems')} />}
        <Labels labels={labels} archived={archived} />
      </p>
      <div className="head-actions">
        <ResetView experiment={experiment} />
        {children}
      </div>
      {opened === 'receipt' && (
        <LaterDialog title="Upload receipt" onClose={close}>
          <ReceiptDialog onClose={close} />
        </LaterDialog>
      )}
      {opened === 'problems' && (
        <LaterDialog title="Problems in files" onClose={close}>
          <ProblemsDialog onClose={close} />
        </LaterDialog>
      )}
    </section>
  );
}

/** Returns to the view with which the experiment opens, in the current tab. */
function ResetView({ experiment }: { readonly experiment: ExperimentJson }) {
  const { view } = useWorld();
  const opening = openingView(experiment);
  const isPlain = useView((all) => rememberedText({ ...all, tab: plainView.tab }) === rememberedText({ ...opening, tab: plainView.tab }));
  if (isPlain) return null;
  return (
    <button type="button" className="quiet wide" onClick={() => changeView(view, { ...opening, tab: view.value.tab })}>
      Reset view
    </button>
  );
}

/** The number of points. If there are no scalars, the number of tags. */
function Contents({ points }: { readonly points: number }) {
  const { tags } = useContents();
  const counts = Map.groupBy(tags, tabOf);
  if (counts.size === 0 || counts.has('scalars'))
    return <span title={countText(points, 'point')}>{points === 1 ? countText(points, 'point') : `${formatShort(points)} points`}</span>;
  const texts = [...counts].map(([tab, { length }]) => countText(length, `${kindNames[tab]} tag`));
  return <span>{texts.join(', ')}</span>;
}

const kindNames: Readonly<Record<Tab, string>> = {
  scalars: 'scalar',
  runs: 'run',
  histograms: 'histogram',
  images: 'image',
  audio: 'audio',
  text: 'text',
  pr_curves: 'PR curve',
  meshes: 'mesh',
  hparams: 'hyperparameter',
  graphs: 'graph',
  system: 'system metric',
  logs: 'log',
  other: 'other',
};

/** The highest count, as in the server's page data. */
const maxProblems = 100;
/** Minimum interval between counts. */
const countEveryMs = 60_000;

/**
 * A note that some of the experiment's files could not be read. The count is updated some time
 * after data arrives, not with every point of a live run.
 */
function Problems({ id, onOpen }: { readonly id: string; readonly onOpen: () => void }) {
  const { base, experiment: first, still } = usePage();
  const { api, live } = useWorld();
  const heard = useStore(live, ({ frontier }) => Number(frontier?.epoch ?? 0));
  const isFirst = first?.experiment.id === id;
  const { data: counted } = useQuery({
    queryKey: ['problems', id],
    queryFn: async ({ signal }) => {
      const epoch = Number(live.value.frontier?.epoch ?? 0);
      const { problems } = await api.get<{ problems: readonly unknown[] }>(`/experiments/${id}/problems?page_size=${maxProblems}`, signal);
      return { problems: problems.length, epoch };
    },
    initialData: isFirst ? { problems: first.problems, epoch: Number(first.experiment.frontier.epoch) } : undefined,
    refetchInterval: ({ state: { data } }) => (data && data.epoch < heard ? countEveryMs : false),
  });
  const problems = counted?.problems ?? 0;
  if (still || problems === 0) return null;
  return (
    <OpeningLink className="bad" href={`${base}/e/${id}?plain`} onOpen={onOpen}>
      {problems < maxProblems ? problems : `${maxProblems} or more`} {problems === 1 ? 'problem' : 'problems'} in files
    </OpeningLink>
  );
}
