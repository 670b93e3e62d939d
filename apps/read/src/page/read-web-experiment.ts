import { noSuchExperiment, requireExperiment } from '#experiments';
import type { Caller, PublicUrl } from '#http';
import type { ExperimentId } from '#model';
import { countProblemsUpTo, findCitation, listRuns, listTags, readExperiment, type Snapshot } from '#store';
import { toExperimentJson } from '../experiments/experiment-json.ts';
import { toRunJson } from '../runs/run-json.ts';
import { toTagJson } from '../tags/tags.controller.ts';
import { seesFiles, titleOf } from './experiment-page.ts';

/** The page itself requests longer lists once it is loaded. */
const maxRuns = 1_000;
const maxTags = 1_000;
/**
 * Beyond this number, the page shows "100 or more", so that loading does not wait for an exact
 * count.
 */
const maxProblems = 100;

/**
 * The initial data of an experiment's page: everything, or the part that the caller's view shows.
 * Throws `experiment-not-found`.
 */
export async function readWebExperiment(
  snapshot: Snapshot,
  caller: Caller,
  experimentId: ExperimentId,
  publicUrl: PublicUrl,
): Promise<{
  readonly title: string;
  /**
   * The query string of the default saved view; null if there is none, or if the caller is a
   * visitor.
   */
  readonly defaultView: string | null;
  readonly experiment: Record<string, unknown>;
}> {
  const { view } = caller;
  await requireExperiment(snapshot, caller, experimentId, 'experiment.view');
  const experiment = await readExperiment(snapshot, experimentId, view);
  if (!experiment) throw noSuchExperiment();
  const byName = [{ field: 'name', argument: null, descending: false }];
  const runs =
    (await listRuns(snapshot, { experimentId, filter: null, order: byName, limit: maxRuns + 1, after: null, live: [], view })) ?? [];
  const tags = (await listTags(snapshot, { experimentId, limit: maxTags + 1, after: null, view })) ?? [];
  const problems = seesFiles(view) ? await countProblemsUpTo(snapshot, experimentId, view, maxProblems) : 0;
  const cited = seesFiles(view) && experiment.snapshot !== null && (await findCitation(snapshot, experimentId)) !== null;
  return {
    title: titleOf(experiment),
    defaultView: view ? null : experiment.defaultView || null,
    experiment: {
      experiment: toExperimentJson(experiment, caller, publicUrl),
      runs: runs.length > maxRuns ? null : runs.map((run) => toRunJson(run, view)),
      tags: tags.length > maxTags ? null : tags.map(toTagJson),
      problems,
      cited,
    },
  };
}
