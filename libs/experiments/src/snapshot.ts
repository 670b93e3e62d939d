import { type Caller, randomBase62 } from '#auth';
import { type ExperimentId, limits, parseExperimentId, Problem, type View } from '#model';
import { copyExperiment, type ExperimentSummary, insertExperiment, readExperiment, claimSnapshot, type TenantScope } from '#store';
import { noSuchExperiment, requireExperiment } from './access.ts';
import { audit } from './audit.ts';
import { checkText } from './experiment-names.ts';

/** The content of a snapshot. */
export interface SnapshotRequest extends Pick<View, 'runs' | 'tags'> {
  /** If absent, the name of the experiment. */
  readonly name?: string | undefined;
}

/**
 * Copies an experiment, or some of its runs and tags, in its current visible state. The copy is a
 * separate experiment, which returns the same responses as long as it exists, even after changes to
 * the source. The copy has no event files to download. `may`: the action for which the caller
 * creates the copy. A workspace creates one copy at a time. The size of a copy is known only after
 * it is created, so a copy that exceeds the quota costs as much as any other. Throws `rate-limited`
 * while another copy is being created.
 */
export async function makeSnapshot(
  scope: TenantScope,
  caller: Caller,
  experimentId: ExperimentId,
  request: SnapshotRequest,
  may: 'experiment.snapshot' | 'experiment.share' = 'experiment.snapshot',
): Promise<ExperimentSummary> {
  const { personId } = caller;
  await requireExperiment(scope, caller, experimentId, may);
  const source = await readExperiment(scope, experimentId);
  if (!source) throw noSuchExperiment();
  if (!(await claimSnapshot(scope)))
    throw new Problem('rate-limited', 'Another snapshot of this workspace is in progress. Try again when it is done.', {
      retryAfterSeconds: 5,
    });
  const copyId = parseExperimentId(randomBase62(22));
  await insertExperiment(scope, {
    experimentId: copyId,
    name: request.name === undefined ? source.name : checkText(request.name, 'name', limits.maxExperimentNameCharacters),
    description: source.description,
    ownerId: personId,
    labels: source.labels,
    notes: source.notes ?? '',
  });
  await copyExperiment(scope, { from: experimentId, to: copyId, view: { runs: request.runs, tags: request.tags, anonymous: false } });
  const made = await readExperiment(scope, copyId);
  if (!made) throw noSuchExperiment();
  await audit(scope, caller, { action: 'experiment.snapshot', experimentId, objectId: copyId });
  return made;
}
