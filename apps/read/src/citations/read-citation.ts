import type { Caller } from '#auth';
import { requireExperiment } from '#experiments';
import { type ExperimentId, Problem } from '#model';
import { findCitation, type StoredCitation, type TenantScope } from '#store';

/**
 * The citation of a snapshot, for callers who may see all of it: a citation names people, and its
 * digest covers everything. Throws `citation-not-found`, or the problem for experiments that the
 * caller may not read.
 */
export async function readCitation(scope: TenantScope, caller: Caller, experimentId: ExperimentId): Promise<StoredCitation> {
  await requireExperiment(scope, caller, experimentId, 'experiment.files');
  const found = await findCitation(scope, experimentId);
  if (!found)
    throw new Problem('citation-not-found', 'This experiment has no citation. Create a citable snapshot of it, and cite the snapshot.');
  return found;
}
