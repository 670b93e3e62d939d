import type { Caller } from '#auth';
import { Problem } from '#model';
import { findExperiment, type TenantTransaction } from '#store';

const idForm = /^[A-Za-z0-9]{22}$/;

/**
 * The one question of who may see an experiment: for now, everybody in its workspace. What is not theirs is answered exactly like what does not exist.
 * Called in the transaction that then reads, so that the answer belongs to one moment.
 */
export async function requireExperiment(trx: TenantTransaction, caller: Pick<Caller, 'tenantId'>, experimentId: string): Promise<void> {
  if (!idForm.test(experimentId) || !(await findExperiment(trx, caller.tenantId, experimentId))) throw noSuchExperiment();
}

/** The same words for every experiment that the caller may not see. */
export function noSuchExperiment(): Problem {
  return new Problem(
    'experiment-not-found',
    'There is no such experiment in this workspace. It may have been deleted, or belong to another one.',
  );
}

/** Whether a text has the form of an experiment id; anything else needs no look-up. */
export function isExperimentId(text: string): boolean {
  return idForm.test(text);
}
