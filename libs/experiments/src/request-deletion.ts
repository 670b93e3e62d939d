import { randomUUID } from 'node:crypto';
import type { Caller } from '#auth';
import { type ExperimentId, Problem, type RunName, type TagName } from '#model';
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
  type TenantScope,
} from '#store';
import { frozen, noSuchExperiment, requireExperiment, requireWithin } from './access.ts';
import { audit, type AuditAction } from './audit.ts';

/**
 * The parts of an experiment to delete. If only runs are given, these runs are deleted completely.
 * If tags or steps are given, their points are deleted, in these runs or in all runs.
 */
export interface DeletionRequest {
  readonly runs?: readonly RunName[] | undefined;
  readonly tags?: readonly TagName[] | undefined;
  /** Inclusive; an open end is null. */
  readonly steps?: { readonly from: bigint | null; readonly to: bigint | null } | undefined;
}

const nothingYet = { tagHashes: null, fromStep: null, toStep: null, throughEpoch: null } as const;

/**
 * Deletes an experiment, which becomes invisible immediately. Notifies waiting readers. The content
 * is removed in the background.
 */
export async function removeExperiment(scope: TenantScope, caller: Caller, experimentId: ExperimentId): Promise<Deletion> {
  await requireExperiment(scope, caller, experimentId, 'experiment.delete');
  if (!(await deleteExperiment(scope, experimentId))) throw noSuchExperiment();
  await notifyFrontier(scope, experimentId);
  return begin(scope, caller, { kind: 'experiment', experimentId, runIds: null, ...nothingYet });
}

/**
 * Deletes runs, or points of runs. Runs disappear immediately, points once the deletion is done.
 */
export async function requestDeletion(
  scope: TenantScope,
  caller: Caller,
  experimentId: ExperimentId,
  request: DeletionRequest,
): Promise<Deletion> {
  const selection = await selectDoomed(scope, caller, experimentId, request);
  const { runIds } = selection;
  const common = { experimentId, runIds };
  if (request.tags === undefined && request.steps === undefined) {
    if (request.runs === undefined)
      throw new Problem(
        'bad-request',
        'Set what to delete: runs, tags or steps. DELETE /api/v1/experiments/{experiment} deletes the whole experiment.',
      );
    await tombstoneRuns(scope, experimentId, runIds);
    await notifyFrontier(scope, experimentId);
    return begin(scope, caller, { kind: 'runs', ...common, ...nothingYet });
  }
  return begin(scope, caller, {
    kind: 'points',
    experimentId,
    ...selection,
    throughEpoch: await readAcknowledgedEpoch(scope, experimentId),
  });
}

/**
 * Returns what a request selects for deletion. Throws unless the caller may delete it. A snapshot
 * can only be deleted as a whole.
 */
export async function selectDoomed(
  scope: TenantScope,
  caller: Caller,
  experimentId: ExperimentId,
  request: DeletionRequest,
): Promise<DoomedSelection> {
  await requireExperiment(scope, caller, experimentId, 'experiment.delete');
  const isWhole = request.runs === undefined && request.tags === undefined && request.steps === undefined;
  if (!isWhole && (await findExperiment(scope, experimentId))?.frozen) throw frozen();
  const runs = await findRuns(scope, experimentId, request.runs ?? null);
  const unknown = (request.runs ?? []).filter((name) => !runs.some((run) => run.name === name));
  if (unknown.length > 0) {
    const names = unknown.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 80)));
    throw new Problem('bad-request', `This experiment has no such run: ${names.join(', ')}. Nothing was deleted.`);
  }
  return {
    runIds: runs.map(({ runId }) => runId),
    tagHashes: request.tags?.map(nameHash) ?? null,
    fromStep: request.steps?.from ?? null,
    toStep: request.steps?.to ?? null,
  };
}

/**
 * Deletes a workspace and everything in it. Only for owners, who confirm by giving its name. All
 * access except the caller's tokens ends immediately.
 */
export async function removeWorkspace(scope: TenantScope, caller: Caller, confirmation: string): Promise<Deletion> {
  const { personId } = caller;
  await requireOwner(scope, caller);
  const workspace = await readWorkspace(scope);
  if (!workspace) throw new Problem('forbidden', 'This workspace is already being deleted.');
  if (workspace.name !== confirmation) throw new Problem('bad-request', 'The name does not match the workspace. Nothing was deleted.');
  await tombstoneWorkspace(scope, personId);
  return begin(scope, caller, { kind: 'workspace', experimentId: null, runIds: null, ...nothingYet });
}

/** Throws `forbidden` unless the caller is an owner of the workspace. */
export async function requireOwner(scope: TenantScope, { personId }: Caller): Promise<void> {
  if ((await readMemberRole(scope, personId)) !== 'owner') throw new Problem('forbidden', 'Only owners of the workspace can do this.');
}

/** A deletion in the caller's workspace. Throws `deletion-not-found`. */
export async function findDeletion(scope: TenantScope, deletionId: string): Promise<Deletion> {
  const deletion = uuidForm.test(deletionId) ? await readDeletion(scope, deletionId) : null;
  if (!deletion) throw new Problem('deletion-not-found', 'There is no such deletion in this workspace.');
  return deletion;
}

/**
 * The latest deletions of an experiment, newest first, even if the experiment itself was deleted.
 */
export async function findDeletions(scope: TenantScope, caller: Caller, experimentId: ExperimentId, limit: number): Promise<Deletion[]> {
  requireWithin(caller, 'experiment.read', experimentId, noSuchExperiment);
  const deletions = await listDeletions(scope, experimentId, limit);
  if (deletions.length === 0) await requireExperiment(scope, caller, experimentId);
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
  scope: TenantScope,
  caller: Caller,
  deletion: Omit<NewDeletion, 'deletionId' | 'requestedBy' | 'kind'> & { readonly kind: keyof typeof auditedAs },
): Promise<Deletion> {
  const { personId } = caller;
  const deletionId = randomUUID();
  await insertDeletion(scope, { deletionId, ...deletion, requestedBy: personId });
  await audit(scope, caller, {
    action: auditedAs[deletion.kind],
    experimentId: deletion.experimentId,
    objectId: deletionId,
    details: { runs: deletion.runIds?.length ?? null, tags: deletion.tagHashes?.length ?? null },
  });
  return (await readDeletion(scope, deletionId))!;
}
