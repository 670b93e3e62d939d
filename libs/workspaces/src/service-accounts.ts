import { randomUUID } from 'node:crypto';
import type { Caller, Role } from '#auth';
import { audit, decide, forbidden } from '#experiments';
import { limits, Problem } from '#model';
import {
  insertMember,
  insertPerson,
  insertServiceAccount,
  listServiceAccounts,
  listWorkloadIdentities,
  removeServiceAccount,
  type ServiceAccount,
  type Store,
  type TenantScope,
  type WorkloadIdentity,
} from '#store';
import { isUuid } from './standing.ts';
import { type IssuedToken, issueTokenOf, rejectJwt, type TokenRequest } from './tokens.ts';

/** A member to be created for a program. */
export interface ServiceAccountRequest {
  readonly name: string;
  /** A program cannot own a workspace. */
  readonly role: Exclude<Role, 'owner'>;
}

export interface ServiceAccountView extends ServiceAccount {
  readonly workloads: readonly WorkloadIdentity[];
}

/** More would mean one per run or job, for which workloads are intended. */
const maxServiceAccounts = 1_000;

/**
 * Creates a member that is a program. It has no email address and cannot sign in, but can have
 * tokens. Throws `forbidden`.
 */
export async function createServiceAccount(store: Store, caller: Caller, { name, role }: ServiceAccountRequest): Promise<ServiceAccount> {
  requireManaging(caller);
  rejectJwt(caller);
  const { tenantId } = caller;
  const accountId = randomUUID();
  // Checked before the account's person row is created, because nothing would remove that row.
  await store.withTenant(tenantId, (scope) => assertBelowAccountLimit(scope), { readOnly: true });
  await insertPerson(store.global, accountId, name);
  return store.withTenant(tenantId, async (scope) => {
    await assertBelowAccountLimit(scope);
    await insertMember(scope, accountId, role);
    await insertServiceAccount(scope, accountId);
    await audit(scope, caller, { action: 'service-account.create', objectId: accountId, details: { role } });
    return findServiceAccount(scope, caller, accountId);
  });
}

/** All service accounts of the workspace, with their workloads. Throws `forbidden`. */
export async function findServiceAccounts(scope: TenantScope, caller: Caller): Promise<ServiceAccountView[]> {
  requireManaging(caller);
  const accounts = await listServiceAccounts(scope, { limit: maxServiceAccounts });
  const workloads = Map.groupBy(
    await listWorkloadIdentities(scope, { limit: maxServiceAccounts * limits.maxWorkloads }),
    ({ accountId }) => accountId,
  );
  return accounts.map((account) => ({ ...account, workloads: workloads.get(account.accountId) ?? [] }));
}

/**
 * Removes a service account: its tokens, and everything created with them, stop working within five
 * seconds. Throws `service-account-not-found`, `forbidden`.
 */
export async function deleteServiceAccount(scope: TenantScope, caller: Caller, accountId: string): Promise<void> {
  await findServiceAccount(scope, caller, accountId);
  await removeServiceAccount(scope, accountId);
  await audit(scope, caller, { action: 'service-account.delete', objectId: accountId });
}

/**
 * Creates a token for a service account, with at most the permissions of the caller's credential.
 * Throws `service-account-not-found`, `forbidden`, `experiment-not-found`.
 */
export async function issueServiceToken(store: Store, caller: Caller, accountId: string, request: TokenRequest): Promise<IssuedToken> {
  await store.withTenant(caller.tenantId, (scope) => findServiceAccount(scope, caller, accountId), { readOnly: true });
  return issueTokenOf(store, caller, accountId, request);
}

/**
 * A service account of the caller's workspace. Throws `service-account-not-found`, also for people.
 */
export async function findServiceAccount(scope: TenantScope, caller: Caller, accountId: string): Promise<ServiceAccount> {
  requireManaging(caller);
  const [account] = isUuid(accountId) ? await listServiceAccounts(scope, { accountId, limit: 1 }) : [];
  if (!account) throw new Problem('service-account-not-found', 'There is no such service account in this workspace.');
  return account;
}

async function assertBelowAccountLimit(scope: TenantScope): Promise<void> {
  if ((await listServiceAccounts(scope, { limit: maxServiceAccounts })).length >= maxServiceAccounts)
    throw new Problem('bad-request', `A workspace has at most ${maxServiceAccounts} service accounts. Remove some first.`);
}

function requireManaging(caller: Caller): void {
  const verdict = decide(caller, 'service-account.manage');
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
}
