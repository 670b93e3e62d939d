import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** Identifies a workload with OIDC tokens that act for a service account. */
export interface NewWorkloadIdentity {
  readonly workloadId: string;
  readonly accountId: string;
  /** The claim `iss`, exactly. */
  readonly issuer: string;
  /** A value that the claim `aud` must contain. */
  readonly audience: string;
  /** The exact value of the claim `sub`, or a prefix of it followed by `*`. */
  readonly subject: string;
  readonly scopes: readonly string[];
}

export interface WorkloadIdentity extends NewWorkloadIdentity {
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export async function insertWorkloadIdentity({ trx, tenantId }: TenantScope, workload: NewWorkloadIdentity): Promise<void> {
  await sql`/* insert-workload-identity */
    insert into workload_identity (tenant_id, workload_id, person_id, issuer, audience, subject, scopes)
    values (${tenantId}, ${workload.workloadId}, ${workload.accountId}, ${workload.issuer}, ${workload.audience}, ${workload.subject},
      ${[...workload.scopes]}::text[])`.execute(trx);
}

/** The workload identities of the workspace or of one service account, oldest first. */
export async function listWorkloadIdentities(
  { trx, tenantId }: TenantScope,
  { accountId = null, limit }: { readonly accountId?: string | null; readonly limit: number },
): Promise<WorkloadIdentity[]> {
  const { rows } = await sql<{
    workload_id: string;
    person_id: string;
    issuer: string;
    audience: string;
    subject: string;
    scopes: string[];
    created_at: Date;
    last_used_at: Date | null;
  }>`/* list-workload-identities */ select workload_id, person_id, issuer, audience, subject, scopes, created_at, last_used_at
    from workload_identity where tenant_id = ${tenantId} and (${accountId}::uuid is null or person_id = ${accountId}::uuid)
    order by created_at, workload_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    workloadId: row.workload_id,
    accountId: row.person_id,
    issuer: row.issuer,
    audience: row.audience,
    subject: row.subject,
    scopes: row.scopes,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}

/** Returns false if this service account has no such workload. */
export async function removeWorkloadIdentity(
  { trx, tenantId }: TenantScope,
  { accountId, workloadId }: { readonly accountId: string; readonly workloadId: string },
): Promise<boolean> {
  const { rows } = await sql`/* remove-workload-identity */ delete from workload_identity
    where tenant_id = ${tenantId} and workload_id = ${workloadId} and person_id = ${accountId} returning 1`.execute(trx);
  return rows.length > 0;
}
