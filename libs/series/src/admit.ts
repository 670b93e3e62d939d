import { Problem } from '#model';
import { type Frontier, readFrontier, type Snapshot } from '#store';

/** Throws when the caller may not see the experiment that is being read. */
export type Admit = (trx: Snapshot['trx']) => Promise<void>;

/** The frontier of an experiment that the caller may see. Both are asked for at once; nothing is told before the caller is admitted. */
export async function readAdmitted(trx: Snapshot['trx'], tenantId: string, experimentId: string, admit: Admit): Promise<Frontier> {
  const [, frontier] = await Promise.all([admit(trx), readFrontier(trx, tenantId, experimentId)]);
  if (!frontier) throw new Problem('experiment-not-found', 'There is no such experiment in this workspace. It may have been deleted.');
  return frontier;
}
