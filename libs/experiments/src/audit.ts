import type { Caller, Role, Scope } from '#auth';
import { insertAuditEntry, type TenantTransaction } from '#store';

/** Everything that the audit log tells of. What was refused stands there under the action that was asked for (`rules`). */
export const auditActions = [
  'experiment.create',
  'experiment.update',
  'experiment.delete',
  'experiment.snapshot',
  'experiment.repair',
  'share-link.create',
  'share-link.revoke',
  'runs.update',
  'runs.delete',
  'points.delete',
  'originals.delete',
  'token.issue',
  'token.revoke',
  'service-account.create',
  'service-account.delete',
  'workload.add',
  'workload.remove',
  'member.invite',
  'invitation.revoke',
  'member.join',
  'member.role',
  'member.remove',
  'member.leave',
  'workspace.create',
  'workspace.update',
  'workspace.transfer',
  'workspace.delete',
  'session.start',
  'session.switch',
  'session.end',
  'identity.connect',
  'sign-in-link.create',
  'audit.export',
  'person.export',
  'person.erase',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Words of ours. What somebody chose, as names of runs and tags, is none and does not get into the log. */
type Word =
  Role | Scope | 'name' | 'description' | 'labels' | 'notes' | 'archived' | 'visibility' | 'private' | 'public' | 'link' | 'provider';

/** What was done, and to what. */
export interface AuditLine {
  readonly action: AuditAction;
  readonly experimentId?: string | null;
  /** What it was done to beside an experiment: a person, a service account, a workload, a token, an invitation, a deletion. */
  readonly objectId?: string;
  readonly details?: Readonly<Record<string, number | boolean | null | Word | readonly Word[]>>;
}

/** Who does something: a caller, or somebody who becomes one. */
export type Actor = Pick<Caller, 'tenantId' | 'personId' | 'via' | 'origin'>;

/** Writes down what somebody does. Called in the transaction of the change: there is never the one without the other. */
export async function audit(trx: TenantTransaction, actor: Actor, { action, experimentId, objectId, details }: AuditLine): Promise<void> {
  await insertAuditEntry(trx, actor.tenantId, {
    ...whoAndWhere(actor),
    action,
    result: 'done',
    experimentId: experimentId ?? null,
    objectId: objectId ?? null,
    details: details ?? {},
  });
}

/** Writes down that the caller was refused something. */
export async function auditRefusal(trx: TenantTransaction, caller: Caller, action: string, experimentId: string | null): Promise<void> {
  await insertAuditEntry(trx, caller.tenantId, {
    ...whoAndWhere(caller),
    action,
    result: 'refused',
    experimentId,
    objectId: null,
    details: {},
  });
}

/** Writes down what the service does by itself, as a workspace has set it up. */
export async function auditService(trx: TenantTransaction, tenantId: string, { action, objectId, details }: AuditLine): Promise<void> {
  await insertAuditEntry(trx, tenantId, {
    actorId: null,
    via: 'service',
    action,
    result: 'done',
    experimentId: null,
    objectId: objectId ?? null,
    details: details ?? {},
    address: null,
    requestId: null,
  });
}

function whoAndWhere({ personId, via, origin }: Actor) {
  return { actorId: personId, via, address: origin?.address ?? null, requestId: origin?.requestId ?? null };
}
