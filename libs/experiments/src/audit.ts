import type { Caller, Role, Scope } from '#auth';
import type { ExperimentId } from '#model';
import { insertAuditEntry, type OperatorScope, type TenantScope } from '#store';

/**
 * All actions in the audit log. A rejected request is logged under the requested action (`rules`).
 */
export const auditActions = [
  'experiment.create',
  'experiment.update',
  'experiment.delete',
  'experiment.snapshot',
  'experiment.repair',
  'share-link.create',
  'share-link.revoke',
  'saved-view.create',
  'saved-view.update',
  'saved-view.delete',
  'report.create',
  'report.update',
  'report.delete',
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

/** Words from our code. User-chosen words, such as run and tag names, must not get into the log. */
type Word =
  | Role
  | Scope
  | 'name'
  | 'description'
  | 'labels'
  | 'notes'
  | 'title'
  | 'body'
  | 'display_name'
  | 'archived'
  | 'visibility'
  | 'private'
  | 'public'
  | 'link'
  | 'provider';

/** An action and its object. */
export interface AuditLine {
  readonly action: AuditAction;
  readonly experimentId?: ExperimentId | null;
  /**
   * The object, if it is not an experiment: a person, a service account, a workload, a token, an
   * invitation, a deletion, a report or a link.
   */
  readonly objectId?: string;
  /** The report to which the object belongs. */
  readonly reportId?: string;
  readonly details?: Readonly<Record<string, number | boolean | null | Word | readonly Word[]>>;
}

/** The person or program that acts: a caller, or someone who becomes one. */
export type Actor = Pick<Caller, 'tenantId' | 'personId' | 'via' | 'origin'>;

/**
 * Records an action. Call this in the transaction of the change, so that neither exists without the
 * other.
 */
export async function audit(
  scope: TenantScope,
  actor: Actor,
  { action, experimentId, objectId, reportId, details }: AuditLine,
): Promise<void> {
  await insertAuditEntry(scope, {
    ...whoAndWhere(actor),
    action,
    result: 'done',
    experimentId: experimentId ?? null,
    objectId: objectId ?? null,
    details: { ...details, ...(reportId !== undefined && { report: reportId }) },
  });
}

/** Records that an action was not permitted. */
export async function auditRejection(scope: TenantScope, caller: Caller, action: string, experimentId: ExperimentId | null): Promise<void> {
  await insertAuditEntry(scope, {
    ...whoAndWhere(caller),
    action,
    result: 'refused',
    experimentId,
    objectId: null,
    details: {},
  });
}

/**
 * Records actions that the service takes automatically, as configured by a workspace, and the
 * operator's actions.
 */
export async function auditService(scope: TenantScope | OperatorScope, { action, objectId, details }: AuditLine): Promise<void> {
  await insertAuditEntry(scope, {
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
