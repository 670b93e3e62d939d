import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import { retryIds } from '../../row-ids.ts';
import type { OperatorScope, TenantScope } from '../../scope.ts';

/** The record of an action that was performed or rejected. */
export interface NewAuditEntry {
  /** Null: the service. */
  readonly actorId: string | null;
  readonly via: string;
  readonly action: string;
  readonly result: 'done' | 'refused';
  readonly experimentId: ExperimentId | null;
  readonly objectId: string | null;
  /** Our own numbers and words, never a name that a user chose. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  readonly requestId: string | null;
}

/**
 * An entry's position in the log: the start of its transaction, in microseconds since the epoch,
 * and then its ID, which has no meaningful order.
 */
export interface AuditPlace {
  readonly micros: string;
  readonly entryId: string;
}

/** An entry in the audit log. */
export interface AuditEntry extends NewAuditEntry, AuditPlace {
  readonly at: Date;
  /** The person's current name. Null if the person was deleted. */
  readonly actorName: string | null;
}

/** Selects entries. Null means no condition. */
export interface AuditFilter {
  readonly action: string | null;
  readonly actorId: string | null;
  readonly experimentId: string | null;
  readonly result: string | null;
  /** Inclusive. */
  readonly from: Date | null;
  /** Exclusive. */
  readonly until: Date | null;
}

/** Writes an entry in the transaction of the change that it records. */
export async function insertAuditEntry({ trx, tenantId, rowIds }: TenantScope | OperatorScope, entry: NewAuditEntry): Promise<void> {
  const { actorId, via, action, result, experimentId, objectId, details, address, requestId } = entry;
  await retryIds(rowIds, tenantId, async () => {
    const { rows } = await sql`/* insert-audit-entry */
      insert into audit_entry (tenant_id, entry_id, actor_id, via, action, result, experiment_id, object_id, details, address, request_id)
      overriding system value
      values (${tenantId}, ${rowIds.take(tenantId)}, ${actorId}, ${via}, ${action}, ${result}, ${experimentId}, ${objectId},
        ${JSON.stringify(details)}::jsonb, ${address}, ${requestId})
      on conflict do nothing returning 1`.execute(trx);
    return rows.length > 0 ? true : undefined;
  });
}

/** Matching entries after `after`, newest first, or oldest first with `oldestFirst`. */
export async function listAuditEntries(
  { trx, tenantId }: TenantScope,
  filter: AuditFilter,
  { after, limit, oldestFirst = false }: { readonly after: AuditPlace | null; readonly limit: number; readonly oldestFirst?: boolean },
): Promise<AuditEntry[]> {
  const direction = oldestFirst ? sql`asc` : sql`desc`;
  const beyond =
    after === null
      ? sql`true`
      : sql`(a.at, a.entry_id) ${oldestFirst ? sql`>` : sql`<`}
        (timestamptz 'epoch' + ${after.micros}::bigint * interval '1 microsecond', ${after.entryId}::bigint)`;
  const { rows } = await sql<{
    entry_id: string;
    at: Date;
    micros: string;
    actor_id: string | null;
    display_name: string | null;
    via: string;
    action: string;
    result: 'done' | 'refused';
    experiment_id: ExperimentId | null;
    object_id: string | null;
    details: Record<string, unknown>;
    address: string | null;
    request_id: string | null;
  }>`/* list-audit-entries */
    select a.entry_id, a.at, (extract(epoch from a.at) * 1000000)::bigint as micros, a.actor_id, p.display_name, a.via, a.action, a.result, a.experiment_id, a.object_id, a.details, a.address, a.request_id
    from audit_entry a left join person p on p.person_id = a.actor_id and p.erased_at is null
    where a.tenant_id = ${tenantId}
      and ${beyond}
      and (${filter.action}::text is null or a.action = ${filter.action})
      and (${filter.actorId}::uuid is null or a.actor_id = ${filter.actorId}::uuid)
      and (${filter.experimentId}::text is null or a.experiment_id = ${filter.experimentId})
      and (${filter.result}::text is null or a.result = ${filter.result})
      and (${filter.from}::timestamptz is null or a.at >= ${filter.from}::timestamptz)
      and (${filter.until}::timestamptz is null or a.at < ${filter.until}::timestamptz)
    order by a.at ${direction}, a.entry_id ${direction} limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    entryId: row.entry_id,
    at: row.at,
    micros: row.micros,
    actorId: row.actor_id,
    actorName: row.display_name,
    via: row.via,
    action: row.action,
    result: row.result,
    experimentId: row.experiment_id,
    objectId: row.object_id,
    details: row.details,
    address: row.address,
    requestId: row.request_id,
  }));
}

/**
 * Removes at most `limit` entries that have exceeded their retention. Returns how many were
 * removed.
 */
export async function removeOldAuditEntries({ trx, tenantId }: TenantScope, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`/* remove-old-audit-entries */
    delete from audit_entry where tenant_id = ${tenantId} and entry_id in (
    select a.entry_id from audit_entry a join workspace w on w.tenant_id = a.tenant_id
    where a.tenant_id = ${tenantId} and a.at < now() - make_interval(days => w.audit_days) order by a.at limit ${limit})`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}
