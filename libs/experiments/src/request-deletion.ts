import { randomUUID } from 'node:crypto';
import type { Caller } from '#auth';
import { Problem } from '#model';
import {
  deleteExperiment,
  type Deletion,
  type DoomedSelection,
  findExperiment,
  findRuns,
  insertDeletion,
  listDeletions,
  nameHash,
  type NewDeletion,
  notifyFrontier,
  readAcknowledgedEpoch,
  readDeletion,
  readMemberRole,
  readWorkspace,
  tombstoneRuns,
  tombstoneWorkspace,
  type TenantTransaction,
} from '#store';
import { frozen, isExperimentId, noSuchExperiment, requireExperiment, requireWithin } from './access.ts';
import { audit, type AuditAction } from './audit.ts';

/**
 * What to delete of an experiment. Only runs: these runs completely. With tags or steps: their
 * points, in these runs or in all.
 */
export interface DeletionWish {
  readonly runs?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Inclusive; an open end is null. */
  readonly steps?: { readonly from: bigint | null; readonly to: bigint | null } | undefined;
}

const nothingYet = { tagHashes: null, fromStep: null, toStep: null, throughEpoch: null } as const;

/**
 * Deletes an experiment: it is immediately invisible. Notifies waiting readers; its content is
 * removed in the background.
 */
export async function removeExperiment(trx: TenantTransaction, caller: Caller, experimentId: string): Promise<Deletion> {
  const { tenantId } = caller;
  await requireExperiment(trx, caller, experimentId, 'experiment.delete');
  if (!(await deleteExperiment(trx, tenantId, experimentId))) throw noSuchExperiment();
  await notifyFrontier(trx, experimentId);
  return begin(trx, caller, { kind: 'experiment', experimentId, runIds: null, ...nothingYet });
}

/**
 * Deletes runs, or points of runs. Runs disappear immediately; points once the deletion is done.
 */
export async function requestDeletion(trx: TenantTransaction, caller: Caller, experimentId: string, wish: DeletionWish): Promise<Deletion> {
  const { tenantId } = caller;
  const selection = await selectDoomed(trx, caller, experimentId, wish);
  const { runIds } = selection;
  const common = { experimentId, runIds };
  if (wish.tags === undefined && wish.steps === undefined) {
    if (wish.runs === undefined)
      throw new Problem(
        'bad-request',
        'Set what to delete: runs, tags or steps. DELETE /api/v1/experiments/{experiment} deletes all of it.',
      );
    await tombstoneRuns(trx, tenantId, experimentId, runIds);
    await notifyFrontier(trx, experimentId);
    return begin(trx, caller, { kind: 'runs', ...common, ...nothingYet });
  }
  return begin(trx, caller, {
    kind: 'points',
    experimentId,
    ...selection,
    throughEpoch: await readAcknowledgedEpoch(trx, tenantId, experimentId),
  });
}

/**
 * What a request selects, for callers who may delete it. A snapshot can only be deleted as a whole.
 */
export async function selectDoomed(
  trx: TenantTransaction,
  caller: Caller,
  experimentId: string,
  wish: DeletionWish,
): Promise<DoomedSelection> {
  await requireExperiment(trx, caller, experimentId, 'experiment.delete');
  const isWhole = wish.runs === undefined && wish.tags === undefined && wish.steps === undefined;
  if (!isWhole && (await findExperiment(trx, caller.tenantId, experimentId))?.frozen) throw frozen();
  const runs = await findRuns(trx, caller.tenantId, experimentId, wish.runs ?? null);
  const unknown = (wish.runs ?? []).filter((name) => !runs.some((run) => run.name === name));
  if (unknown.length > 0) {
    const names = unknown.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 80)));
    throw new Problem('bad-request', `This experiment has no such run: ${names.join(', ')}. Nothing was deleted.`);
  }
  return {
    runIds: runs.map(({ runId }) => runId),
    tagHashes: wish.tags?.map(nameHash) ?? null,
    fromStep: wish.steps?.from ?? null,
    toStep: wish.steps?.to ?? null,
  };
}

/**
 * Deletes a workspace with everything in it; only for owners, with its name as confirmation. All
 * access except the caller's tokens ends immediately.
 */
export async function removeWorkspace(trx: TenantTransaction, caller: Caller, confirmation: string): Promise<Deletion> {
  const { tenantId, personId } = caller;
  await requireOwner(trx, caller);
  const workspace = await readWorkspace(trx, tenantId);
  if (!workspace) throw new Problem('forbidden', 'This workspace is being deleted already.');
  if (workspace.name !== confirmation) throw new Problem('bad-request', 'The name does not match the workspace. Nothing was deleted.');
  await tombstoneWorkspace(trx, tenantId, personId);
  return begin(trx, caller, { kind: 'workspace', experimentId: null, runIds: null, ...nothingYet });
}

/** Throws `forbidden` unless the caller is an owner of the workspace. */
export async function requireOwner(trx: TenantTransaction, { tenantId, personId }: Caller): Promise<void> {
  if ((await readMemberRole(trx, tenantId, personId)) !== 'owner')
    throw new Problem('forbidden', 'Only owners of the workspace can do this.');
}

/** A deletion of the caller's workspace. Throws `deletion-not-found`. */
export async function findDeletion(trx: TenantTransaction, { tenantId }: Caller, deletionId: string): Promise<Deletion> {
  const deletion = uuidForm.test(deletionId) ? await readDeletion(trx, tenantId, deletionId) : null;
  if (!deletion) throw new Problem('deletion-not-found', 'There is no such deletion in this workspace.');
  return deletion;
}

/** The latest deletions of an experiment, newest first, even if it is itself deleted. */
export async function findDeletions(trx: TenantTransaction, caller: Caller, experimentId: string, limit: number): Promise<Deletion[]> {
  requireWithin(caller, 'experiment.read', experimentId, noSuchExperiment);
  const deletions = isExperimentId(experimentId) ? await listDeletions(trx, caller.tenantId, experimentId, limit) : [];
  if (deletions.length === 0) await requireExperiment(trx, caller, experimentId);
  return deletions;
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const auditedAs = {
  workspace: 'workspace.delete',
  experiment: 'experiment.delete',
  runs: 'runs.delete',
  points: 'points.delete',
} as const satisfies Record<string, AuditAction>;

async function begin(
  trx: TenantTransaction,
  caller: Caller,
  wish: Omit<NewDeletion, 'deletionId' | 'requestedBy' | 'kind'> & { readonly kind: keyof typeof auditedAs },
): Promise<Deletion> {
  const { tenantId, personId } = caller;
  const deletionId = randomUUID();
  await insertDeletion(trx, tenantId, { deletionId, ...wish, requestedBy: personId });
  await audit(trx, caller, {
    action: auditedAs[wish.kind],
    experimentId: wish.experimentId,
    objectId: deletionId,
    details: { runs: wish.runIds?.length ?? null, tags: wish.tagHashes?.length ?? null },
  });
  return (await readDeletion(trx, tenantId, deletionId))!;
}
