import { type Caller, randomBase62 } from '#auth';
import { limits, Problem, type View } from '#model';
import { copyExperiment, type ExperimentSummary, insertExperiment, readExperiment, takeSnapshotTurn, type TenantTransaction } from '#store';
import { noSuchExperiment, requireExperiment } from './access.ts';
import { audit } from './audit.ts';
import { checkText } from './experiment-names.ts';

/** What a snapshot is to hold. */
export interface SnapshotWish extends Pick<View, 'runs' | 'tags'> {
  /** Absent: as the experiment is called. */
  readonly name?: string | undefined;
}

/**
 * Copies an experiment, or some runs and tags of it, as it can be read now: the copy is an experiment of its own, which gives the same answers for as long as it
 * exists, whatever becomes of the other. It has no event files to give back. `may`: what the caller does it for. A workspace makes one after the other, however many are asked for: what a copy takes is known
 * only when it was made, and one that finds no room has cost as much. Throws `rate-limited` while another one is made.
 */
export async function makeSnapshot(
  trx: TenantTransaction,
  caller: Caller,
  experimentId: string,
  wish: SnapshotWish,
  may: 'experiment.snapshot' | 'experiment.share' = 'experiment.snapshot',
): Promise<ExperimentSummary> {
  const { tenantId, personId } = caller;
  await requireExperiment(trx, caller, experimentId, may);
  const source = await readExperiment(trx, tenantId, experimentId);
  if (!source) throw noSuchExperiment();
  if (!(await takeSnapshotTurn(trx, tenantId)))
    throw new Problem('rate-limited', 'Another snapshot of this workspace is in progress. Try again when it is done.', {
      retryAfterSeconds: 5,
    });
  const copyId = randomBase62(22);
  await insertExperiment(trx, tenantId, {
    experimentId: copyId,
    name: wish.name === undefined ? source.name : checkText(wish.name, 'name', limits.maxExperimentNameCharacters),
    description: source.description,
    ownerId: personId,
    labels: source.labels,
    notes: source.notes ?? '',
  });
  await copyExperiment(trx, tenantId, { from: experimentId, to: copyId, view: { runs: wish.runs, tags: wish.tags, anonymous: false } });
  const made = await readExperiment(trx, tenantId, copyId);
  if (!made) throw noSuchExperiment();
  await audit(trx, caller, { action: 'experiment.snapshot', experimentId, objectId: copyId });
  return made;
}
