import { randomUUID } from 'node:crypto';
import { type Caller, isSubjectPattern, type Scope } from '#auth';
import { audit } from '#experiments';
import { limits, Problem } from '#model';
import { insertWorkloadIdentity, listWorkloadIdentities, removeWorkloadIdentity, type TenantScope } from '#store';
import { findServiceAccount } from './service-accounts.ts';
import { isUuid } from './standing.ts';
import { rejectBeyond } from './tokens.ts';

/** Identifies the workloads whose OIDC tokens act for a service account. */
export interface WorkloadRequest {
  readonly issuer: string;
  readonly audience: string;
  readonly subject: string;
  readonly scopes: readonly Scope[];
}

/**
 * Allows workloads of an issuer with this subject to act as the service account, with at most the
 * permissions of the caller's credential. `issuers`: the issuers that the operator configured.
 * Throws `service-account-not-found`, `forbidden`, and `bad-request` for an unknown issuer or a
 * subject that is too broad.
 */
export async function addWorkload(
  scope: TenantScope,
  caller: Caller,
  accountId: string,
  { request, issuers }: { readonly request: WorkloadRequest; readonly issuers: readonly string[] },
): Promise<string> {
  await findServiceAccount(scope, caller, accountId);
  rejectBeyond(caller, request.scopes);
  if (!issuers.includes(request.issuer)) {
    const known = issuers.length === 0 ? 'No issuers are accepted' : `Accepted issuers: ${issuers.join(', ')}`;
    throw new Problem(
      'bad-request',
      `Tokens from this issuer are not accepted. ${known}. The operator configures issuers with PLOTLINE_WORKLOAD_ISSUERS.`,
    );
  }
  if (!isSubjectPattern(request.subject)) {
    throw new Problem(
      'bad-request',
      'Specify a complete subject, or its beginning up to the second or a later ":" or "/", followed by "*", as in repo:lab/models:*.',
    );
  }
  const { maxWorkloads } = limits;
  if ((await listWorkloadIdentities(scope, { accountId, limit: maxWorkloads })).length >= maxWorkloads)
    throw new Problem('bad-request', `A service account has at most ${maxWorkloads} workloads. Remove some, or use a pattern.`);
  const workloadId = randomUUID();
  await insertWorkloadIdentity(scope, { workloadId, accountId, ...request });
  await audit(scope, caller, { action: 'workload.add', objectId: workloadId, details: { scopes: request.scopes } });
  return workloadId;
}

/**
 * Removes a workload; its JWTs stop working within five seconds. Throws
 * `service-account-not-found`, `workload-not-found`, `forbidden`.
 */
export async function removeWorkload(scope: TenantScope, caller: Caller, accountId: string, workloadId: string): Promise<void> {
  await findServiceAccount(scope, caller, accountId);
  const removed = isUuid(workloadId) && (await removeWorkloadIdentity(scope, { accountId, workloadId }));
  if (!removed) throw new Problem('workload-not-found', 'The service account has no such workload.');
  await audit(scope, caller, { action: 'workload.remove', objectId: workloadId });
}
