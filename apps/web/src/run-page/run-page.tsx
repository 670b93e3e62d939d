import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { formatCount, formatDuration, formatHparam, naturally, visibleText } from '#charts';
import type { ReceiptJson, RunJson } from '../api/types.ts';
import { formatBytes } from '../app/bytes.ts';
import { Icon } from '../app/icons.tsx';
import { usePage } from '../app/page-context.ts';
import { useNow } from '../app/use-now.ts';
import { fromAddress, homeOf } from '../compare/compared-run.ts';
import { RunCaption } from '../data/run-caption.tsx';
import { CardGrid } from '../experiment/card-grid.tsx';
import { changeView } from '../experiment/change-view.ts';
import { ContentsContext, useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { Toolbar } from '../experiment/toolbar.tsx';
import { RunNotes } from '../notes/run-notes.tsx';
import { runState, silenceText, stateNames } from '../runs/run-state.ts';
import type { SeriesStats } from '../runs/use-series.ts';
import { Metrics } from './run-metrics.tsx';

/** How often the state is reevaluated. */
const clockMs = 15_000;

interface RunSeries extends SeriesStats {
  readonly data_class: string;
  readonly nan_count: number | string | null;
}

/**
 * The page of a single run: its facts, last values and charts. `about`: the run's name in the URL.
 */
export default function RunPage({ about }: { readonly about: string }) {
  const { view } = useWorld();
  const contents = useContents();
  const { runs, compared, tags } = contents;
  const name = fromAddress([about], compared)[0]!;
  const run = runs.find((one) => one.run === name);
  const series = useRunSeries(name);
  const own = useMemo((): typeof contents => {
    const known = series && new Set(series.map(({ tag }) => tag));
    const alone = new Set([name]);
    return { ...contents, listed: alone, shown: alone, tags: known ? tags.filter(({ tag }) => known.has(tag)) : tags };
  }, [contents, name, series, tags]);
  const back = (
    <button type="button" className="quiet back" onClick={() => changeView(view, { about: null })}>
      <Icon name="fold" /> All runs
    </button>
  );
  if (!run)
    return (
      <main className="note">
        <h2>No run with this name</h2>
        <p>It may have been deleted or renamed.</p>
        {back}
      </main>
    );
  return (
    <ContentsContext value={own}>
      <div className="columns run-page">
        <section className="run-facts" aria-label="About this run" tabIndex={-1}>
          {back}
          <h2>
            <RunCaption run={name} />
          </h2>
          <RunAbout run={run} series={series} />
        </section>
        <div className="charts">
          <Toolbar />
          <CardGrid />
        </div>
      </div>
    </ContentsContext>
  );
}

/** A run's series with their summaries. */
function useRunSeries(name: string): readonly RunSeries[] | undefined {
  const { api, id } = useWorld();
  const { compared } = useContents();
  const home = homeOf(name, compared, id);
  return useQuery({
    queryKey: ['series', home.id, 'of', home.run],
    queryFn: ({ signal }) =>
      api.list<RunSeries>(`/experiments/${home.id}/series?${new URLSearchParams({ run: home.run }).toString()}`, 'series', signal),
  }).data;
}

function RunAbout({ run, series }: { readonly run: RunJson; readonly series: readonly RunSeries[] | undefined }) {
  const now = useNow(clockMs);
  const stalledAfter = useView((all) => all.stalledAfter);
  const state = runState(run, now, stalledAfter);
  const scalars = useMemo(() => series?.filter(({ data_class: dataClass }) => dataClass === 'scalar'), [series]);
  const [start, end] = [run.start_time, run.last_time].map((time) => (time === null ? Number.NaN : Number(time)));
  const steps = (scalars ?? []).flatMap(({ last_step: step }) => (step === null || step === undefined ? [] : [BigInt(step)]));
  const withNaN = (scalars ?? []).filter(({ nan_count: count }) => Number(count ?? 0) > 0);
  const hparams = Object.entries(run.hparams).sort(([a], [b]) => naturally(a, b));
  return (
    <>
      <Pairs>
        <Pair name="State">
          <span className={`run-state ${state}`}>
            <i /> {stateNames[state]}
            {state === 'stalled' && <span className="dim">no data for {silenceText(run.last_time, now)}</span>}
          </span>
        </Pair>
        <Moment name="Started" seconds={start!} />
        <Moment name="Last point" seconds={end!} />
        {Number.isFinite(end! - start!) && <Pair name="Duration">{formatDuration(end! - start!)}</Pair>}
        {steps.length > 0 && <Pair name="Last step">{formatCount(String(steps.reduce((a, b) => (a > b ? a : b))))}</Pair>}
        {scalars && <Pair name="Points">{formatCount(scalars.reduce((sum, { points }) => sum + Number(points), 0))}</Pair>}
        {factsOf(run).map(([name, text]) => (
          <Pair key={name} name={name}>
            {visibleText(text)}
          </Pair>
        ))}
        {withNaN.length > 0 && (
          <Pair name="NaN in">
            <span className="bad">{withNaN.map(({ tag }) => visibleText(tag)).join(', ')}</span>
          </Pair>
        )}
      </Pairs>
      <Notes run={run} />
      {scalars && scalars.length > 0 && <Metrics run={run.run} series={scalars} />}
      {hparams.length > 0 && (
        <section aria-label="Hyperparameters">
          <h3>Hyperparameters</h3>
          <Pairs>
            {hparams.map(([key, value]) => (
              <Pair key={key} name={visibleText(key)}>
                {visibleText(formatHparam(value))}
              </Pair>
            ))}
          </Pairs>
        </section>
      )}
      <Files run={run.run} withHost={run.host === null} />
    </>
  );
}

/** The facts that the run recorded. */
function factsOf({ display_name: name, group, job_type: type, person, host, source }: RunJson): [string, string][] {
  const facts: [string, string | null | undefined][] = [
    ['Display name', name],
    ['Group', group],
    ['Job type', type],
    ['Person', person],
    ['Host', host],
    ['Command', source?.command],
    ['Folder', source?.folder],
    ['Repository', source?.git_remote],
    ['Branch', source?.git_branch],
    ['Commit', source?.git_commit && `${source.git_commit}${source.git_dirty ? ', with uncommitted changes' : ''}`],
  ];
  return facts.flatMap(([fact, text]) => (text ? [[fact, text]] : []));
}

/** The run's labels and notes. Renders nothing for visitors, who see neither. */
function Notes({ run }: { readonly run: RunJson }) {
  if (run.notes === null && run.labels.length === 0) return null;
  return (
    <section aria-label="Notes">
      <h3>Notes</h3>
      <RunNotes run={run} />
    </section>
  );
}

/**
 * The run's event files with their problems. Renders nothing for visitors, who may not see them.
 */
function Files({ run, withHost }: { readonly run: string; readonly withHost: boolean }) {
  const { api, id } = useWorld();
  const { compared } = useContents();
  const { reader } = usePage();
  const home = homeOf(run, compared, id);
  const { data } = useQuery({
    queryKey: ['receipt', home.id],
    queryFn: ({ signal }) => api.get<ReceiptJson>(`/experiments/${home.id}/receipt`, signal),
    enabled: reader !== null,
    staleTime: 0,
  });
  const files = data?.files.filter((file) => file.run === home.run) ?? [];
  const problems = data?.problems.filter((problem) => problem.run === home.run) ?? [];
  const hosts = !withHost ? [] : [...new Set(files.flatMap(({ name }) => hostOf(name) ?? []))];
  if (files.length === 0) return null;
  return (
    <section aria-label="Files">
      <h3>Files</h3>
      <Pairs>
        {hosts.length > 0 && <Pair name={hosts.length === 1 ? 'Host' : 'Hosts'}>{hosts.map(visibleText).join(', ')}</Pair>}
        {files.map(({ file_id: fileId, name, version, bytes, complete }) => (
          <Pair key={`${fileId}/${version}`} name={formatBytes(Number(bytes))}>
            {visibleText(name)} <span className="dim">{complete ? '' : 'open'}</span>
          </Pair>
        ))}
      </Pairs>
      {problems.length > 0 && (
        <ul className="file-problems">
          {problems.map(({ file_id: fileId, offset, reason, detail, file }) => (
            <li key={`${fileId} ${offset} ${reason}`}>
              <span className="bad">{visibleText(file)}</span>, byte {formatCount(offset)}: {visibleText(detail)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/**
 * The host, as in the file names of TensorBoard's writers:
 * `events.out.tfevents.1700000000.HOST.123.0`.
 */
function hostOf(name: string): string | null {
  const [, rest = ''] = /^events\.out\.tfevents\.\d+\.(.+)$/.exec(name) ?? [];
  const host = rest.replace(/(\.\d+)*(\.v2)?$/, '');
  return host === '' ? null : host;
}

function Pairs({ children }: { readonly children: ReactNode }) {
  return <dl className="pairs">{children}</dl>;
}

function Pair({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="dim">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** The logged wall time, which can be any number. */
function Moment({ name, seconds }: { readonly name: string; readonly seconds: number }) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return null;
  return (
    <Pair name={name}>
      <time dateTime={date.toISOString()} title={exact.format(date)}>
        {moment.format(date)}
      </time>
    </Pair>
  );
}
