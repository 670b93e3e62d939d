import type { Caller } from '#auth';
import { noSuchExperiment, requireExperiment } from '#experiments';
import type { ExperimentId } from '#model';
import {
  countProblems,
  listProblems,
  listRuns,
  listSeries,
  readExperiment,
  readFrontier,
  readRunTails,
  type SeriesSummary,
  type Snapshot,
} from '#store';
import { withTails } from '../series-list/live-stats.ts';
import { type ExperimentPage, seesFiles, type TagLine } from './experiment-page.ts';

const maxRuns = 500;
const maxTags = 500;
/** Maximum number of listed problems; a link leads to the full list. */
const maxProblems = 10;
/** Maximum series whose tags are listed; for larger experiments, the list is incomplete. */
const maxSeries = 20_000;

/**
 * The content of an experiment's page for this caller: everything, or the part that their view
 * shows. Throws `experiment-not-found`.
 */
export async function readShown(
  snapshot: Snapshot,
  caller: Caller,
  experimentId: ExperimentId,
): Promise<Omit<ExperimentPage, 'links' | 'base' | 'basePath'>> {
  const { view } = caller;
  await requireExperiment(snapshot, caller, experimentId, 'experiment.view');
  const experiment = await readExperiment(snapshot, experimentId, view);
  const frontier = await readFrontier(snapshot, experimentId);
  if (!experiment || !frontier) throw noSuchExperiment();
  const byName = [{ field: 'name', argument: null, descending: false }];
  const runs = (await listRuns(snapshot, { experimentId, filter: null, order: byName, limit: maxRuns, after: null, live: [], view })) ?? [];
  const all = { experimentId, runs: null, tags: null, plugins: null, unlisted: false, limit: maxSeries, after: null, view };
  const series = (await listSeries(snapshot, all)) ?? [];
  const tails = await readRunTails(snapshot, [...new Set(series.map(({ runId }) => runId))]);
  const tags = tagLines(withTails(series, tails));
  const { problems, truncatedBytes } = seesFiles(view) ? await countProblems(snapshot, experimentId, view) : nothingOfFiles;
  const firstProblems = problems > 0 ? ((await listProblems(snapshot, experimentId, maxProblems, null, view)) ?? []) : [];
  return {
    experiment,
    frontier,
    view,
    problems,
    firstProblems,
    unreadableBytes: frontier.rejectedBytes + truncatedBytes,
    runs,
    tags: tags.slice(0, maxTags),
    moreTags: Math.max(0, tags.length - maxTags),
  };
}

const nothingOfFiles = { problems: 0, truncatedBytes: 0 };

/** One row per tag, for all its runs. */
function tagLines(series: readonly SeriesSummary[]): TagLine[] {
  const lines = new Map<string, TagLine>();
  for (const one of series) {
    const key = JSON.stringify([one.tag, one.plugin]);
    const line = lines.get(key);
    lines.set(key, {
      tag: one.tag,
      plugin: one.plugin,
      runs: (line?.runs ?? 0) + 1,
      points: (line?.points ?? 0) + one.points,
      supersededPoints: (line?.supersededPoints ?? 0) + one.supersededPoints,
      lastStep: later(line?.lastStep ?? null, one.lastStep),
    });
  }
  return [...lines.values()].sort((a, b) => (a.tag < b.tag ? -1 : a.tag > b.tag ? 1 : 0));
}

function later(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || (b !== null && b > a) ? b : a;
}
