import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { groupRuns, hasRunPlot, type RunStyle, styleRuns, type View, visibleText } from '#charts';
import type { ExperimentJson, RunJson, TagJson } from '../api/types.ts';
import { Boundary, LaterDialog } from '../app/boundary.tsx';
import { Command } from '../app/command.tsx';
import { Frame } from '../app/frame.tsx';
import { Icon } from '../app/icons.tsx';
import { later } from '../app/later.ts';
import { usePage } from '../app/page-context.ts';
import { forgetPendingAction, pendingAction } from '../app/pending-action.ts';
import { narrowQuery, useMedia } from '../app/theme.ts';
import { useModal } from '../app/use-modal.ts';
import { useNow } from '../app/use-now.ts';
import { CiteLink } from '../citations/cite-link.tsx';
import { SnapshotButton } from '../citations/snapshot-button.tsx';
import { CompareMenu } from '../compare/compare-menu.tsx';
import { comparedOf, fromAddress, withComparedRuns, withComparedTags } from '../compare/compared-run.ts';
import type { Others } from '../compare/use-others.ts';
import { DataTab } from '../data/data-tab.tsx';
import { TabBar } from '../data/tab-bar.tsx';
import { useTab } from '../data/use-tab.ts';
import { ExportButton } from '../exports/export-button.tsx';
import { LiveBadge } from '../live/live-badge.tsx';
import { AboutButton } from '../notes/about-button.tsx';
import { RunList } from '../runs/run-list.tsx';
import { shownRuns, wantsClock, wantsSeries } from '../runs/shown-runs.ts';
import { useSeries } from '../runs/use-series.ts';
import { ViewsMenu } from '../saved-views/views-menu.tsx';
import { ShareButton } from '../share/share-button.tsx';
import { AddressNote } from './address-note.tsx';
import { changeView } from './change-view.ts';
import { ContentsContext, useContents, useView, useWorld } from './experiment-context.ts';
import { EmbeddedPage } from './embedded-page.tsx';
import { ExperimentHead } from './experiment-head.tsx';
import { titleOf } from './experiment-title-text.ts';
import { ExperimentPalette } from './experiment-palette.tsx';
import { type HeadAction, type HeadButtonProps, useHeadActions } from './head-actions.ts';
import { inOrderOfBeginning } from './run-order.ts';

/** How often the states of runs are reevaluated. */
const clockMs = 15_000;

const RunPage = later(() => import('../run-page/run-page.tsx'));
const CardDialog = later(() => import('./card-dialog.tsx'));

interface ExperimentPageProps {
  readonly experiment: ExperimentJson;
  readonly runs: readonly RunJson[];
  readonly tags: readonly TagJson[];
  /** The compared experiments. */
  readonly others: Others;
  /** Shown instead of the page, with the page's data. If absent, the page is shown. */
  readonly children?: ReactNode;
}

/** The page of an experiment, with its runs and, beside them, its charts. */
export function ExperimentPage({ experiment, runs: own, tags: ownTags, others, children }: ExperimentPageProps) {
  const { api } = useWorld();
  // Subscribes to single fields, so that a change in another part of the view does not render the
  // whole page again
  const isTable = (view: View): boolean => !api.isStored && isOnlyTable(view);
  const runFilter = useView((view) => (isTable(view) ? '' : view.runFilter));
  const where = useView((view) => (isTable(view) ? noConditions : view.where));
  const onlyRuns = useView((view) => view.onlyRuns);
  const hiddenRuns = useView((view) => view.hiddenRuns);
  const archived = useView((view) => view.archived);
  const stalledAfter = useView((view) => view.stalledAfter);
  const colorGroup = useView((view) => view.colorGroup);
  const embed = useView((view) => view.embed);
  const { parts, failed } = others;
  const known = useMemo(() => parts.map((one) => one.experiment), [parts]);
  const compared = useMemo(() => comparedOf(known, titleOf), [known]);
  const runs = useMemo(() => withComparedRuns(inOrderOfBeginning(own), compared, parts), [own, compared, parts]);
  const tags = useMemo(() => withComparedTags(ownTags, parts), [ownTags, parts]);
  // The run list is polled often, and usually only times change
  const names = useStable(useMemo(() => runs.map(({ run }) => run), [runs]));
  const hparams = useStable(useMemo(() => runs.map((run) => run.hparams), [runs]));
  const groups = useMemo(
    () =>
      groupRuns(
        colorGroup,
        names.map((run, i) => ({ run, hparams: hparams[i] ?? {} })),
      ),
    [colorGroup, names, hparams],
  );
  const styles = useMemo(() => stylesOf(names, groups), [names, groups]);
  const series = useSeries(wantsSeries({ where }), compared);
  const now = useNow(wantsClock({ where }) ? clockMs : null);
  const choice = useStable(
    useMemo(
      () =>
        shownRuns(
          {
            runFilter,
            onlyRuns: onlyRuns && fromAddress(onlyRuns, compared),
            hiddenRuns: fromAddress(hiddenRuns, compared),
            where,
            archived,
            stalledAfter,
          },
          runs,
          series,
          now,
        ),
      [runFilter, onlyRuns, hiddenRuns, compared, where, archived, stalledAfter, runs, series, now],
    ),
  );
  const [listed, shown] = useMemo(() => [new Set(choice.listed), new Set(choice.shown)], [choice]);
  const contents = useMemo(
    () => ({ experiment, runs, tags, compared, styles, groups, listed, shown }),
    [experiment, runs, tags, compared, styles, groups, listed, shown],
  );
  const actions = useHeadActions(experiment, known.length > 0);
  const [opened, setOpened] = useState<HeadAction | null>(() => pendingAction(experiment.id));
  useEffect(forgetPendingAction, []);
  const button = (action: HeadAction): HeadButtonProps => ({
    open: opened === action,
    onOpen: (open) => setOpened(open ? action : null),
  });
  if (embed || children !== undefined) return <ContentsContext value={contents}>{children ?? <EmbeddedPage />}</ContentsContext>;
  return (
    <ContentsContext value={contents}>
      <Frame state={<LiveBadge />} palette={<ExperimentPalette actions={actions} onAction={setOpened} />}>
        <ExperimentHead experiment={experiment}>
          {actions.includes('compare') && <CompareMenu known={known} failed={failed} {...button('compare')} />}
          {actions.includes('views') && <ViewsMenu {...button('views')} />}
          {actions.includes('notes') && <AboutButton {...button('notes')} />}
          {actions.includes('export') && <ExportButton {...button('export')} />}
          {actions.includes('snapshot') && <SnapshotButton {...button('snapshot')} />}
          <CiteLink />
          {actions.includes('share') && <ShareButton {...button('share')} />}
        </ExperimentHead>
        <Content failed={failed} />
        <ChosenCard />
      </Frame>
    </ContentsContext>
  );
}

/** The page of a run, or the run list beside the data of the runs. */
function Content({ failed }: Pick<Others, 'failed'>) {
  const { firstCharts } = useWorld();
  const { experiment, runs } = useContents();
  const about = useView((all) => all.about);
  if (runs.length === 0) return <NoRuns experiment={experiment} />;
  if (about === null) return <Columns failed={failed} />;
  if (firstCharts === 'server') return <main className="cards" />;
  return (
    <Boundary what="This" around={(sentence) => <main className="note">{sentence}</main>}>
      <Suspense fallback={<main className="cards" aria-busy="true" />}>
        <RunPage key={about} about={about} />
      </Suspense>
    </Boundary>
  );
}

/** The chart that is shown alone, if there is one. */
export function ChosenCard() {
  const { view } = useWorld();
  const card = useView((all) => all.card);
  if (card === null) return null;
  return (
    <LaterDialog title={visibleText(card)} onClose={() => changeView(view, { card: null, also: [] })}>
      <CardDialog card={card} />
    </LaterDialog>
  );
}

/** `failed`: the ids of compared experiments that cannot be read. */
function Columns({ failed }: Pick<Others, 'failed'>) {
  const { firstCharts } = useWorld();
  const narrow = useMedia(narrowQuery);
  const [settings, setSettings] = useState(false);
  const isTable = useTab() === 'runs';
  return (
    <div className="columns">
      {narrow || isTable ? null : (
        <aside>
          <Boundary what="The run list">
            <RunList />
          </Boundary>
        </aside>
      )}
      <div className={`charts${settings ? ' settings' : ''}`}>
        {(narrow || firstCharts === 'server') && !isTable && <NarrowBar settings={settings} onSettings={() => setSettings(!settings)} />}
        <AddressNote failed={failed} />
        <TabBar />
        <DataTab />
      </div>
    </div>
  );
}

/**
 * On a phone, the runs are in a bottom sheet, and the common options are hidden until the reader
 * opens them.
 */
function NarrowBar({ settings, onSettings }: { readonly settings: boolean; readonly onSettings: () => void }) {
  const [open, setOpen] = useState(false);
  const sheet = useModal(() => setOpen(false), open);
  return (
    <section className="narrow-bar" aria-label="Runs and axes">
      <button type="button" onClick={() => setOpen(true)}>
        <Icon name="runs" /> Runs
      </button>
      <button type="button" aria-expanded={settings} onClick={onSettings}>
        <Icon name="settings" /> Settings
      </button>
      {open && (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Esc closes a dialog by itself
        <dialog className="sheet" ref={sheet} aria-label="Runs" onClick={({ target }) => target === sheet.current && sheet.current.close()}>
          <div className="sheet-body">
            <Boundary what="The run list">
              <RunList label="Runs to show" />
            </Boundary>
            <button type="button" className="done" onClick={() => sheet.current?.close()}>
              Done
            </button>
          </div>
        </dialog>
      )}
    </section>
  );
}

function NoRuns({ experiment }: { readonly experiment: ExperimentJson }) {
  const { server } = usePage();
  const { api } = useWorld();
  if (api.isStored)
    return (
      <main className="note">
        <p>This experiment had no data when it was exported.</p>
      </main>
    );
  return (
    <main className="note">
      <p>Waiting for data. Charts appear here as events arrive.</p>
      <p>To upload to this experiment, run this in a Plotline checkout:</p>
      <Command text={`PLOTLINE_SERVER=${server} npm run -s plotline -- upload --experiment ${experiment.id} --logdir ./logs`} />
    </main>
  );
}

/** Runs in a group look alike. Without groups, each run has its own style. */
function stylesOf(names: readonly string[], groups: ReadonlyMap<string, string> | null): ReadonlyMap<string, RunStyle> {
  if (!groups) return styleRuns(names);
  const looks = styleRuns([...new Set(groups.values())]);
  return new Map([...looks, ...names.map((run) => [run, looks.get(groups.get(run)!)!] as const)]);
}

/** Whether the view shows only the run table, which the service filters. */
function isOnlyTable(view: View): boolean {
  return view.tab === 'runs' && view.about === null && view.card === null && !view.embed && !hasRunPlot(view);
}

const noConditions: readonly string[] = [];

/** Returns the previous value while the content is the same. */
function useStable<T>(value: T): T {
  const kept = useRef(value);
  const seen = useRef(value);
  if (value !== seen.current) {
    seen.current = value;
    if (JSON.stringify(value) !== JSON.stringify(kept.current)) kept.current = value;
  }
  return kept.current;
}
