import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TenantId } from '#model';
import { readUsage, type Store } from '#store';

/** Compares a workspace's usage counters with counts of its rows. */
export async function checkUsage(store: Store, tenantId: TenantId): Promise<void> {
  const [stored, counted] = await store.withTenant(
    tenantId,
    async (scope) => {
      const { rows } = await sql<Record<'points' | 'series' | 'files' | 'original' | 'value', string>>`
        select
          (select coalesce(sum(count), 0) from scalar_chunk where tenant_id = ${tenantId})
            + (select coalesce(sum(points), 0) from run_tail where tenant_id = ${tenantId})
            + (select count(*) from tensor_value where tenant_id = ${tenantId})
            + (select count(*) from blob_sequence_value where tenant_id = ${tenantId}) as points,
          (select count(*) from series where tenant_id = ${tenantId}) as series,
          (select count(*) from event_file where tenant_id = ${tenantId}) as files,
          (select coalesce(sum(durable_offset - dropped_bytes), 0) from event_file where tenant_id = ${tenantId})
            + (select coalesce(sum(length), 0) from segment where tenant_id = ${tenantId} and epoch is null) as original,
          (select coalesce(sum(bytes), 0) from tensor_value where tenant_id = ${tenantId})
            + (select coalesce(sum(b.bytes), 0) from blob_sequence_value v, unnest(v.blob_bytes) as b(bytes)
                where v.tenant_id = ${tenantId}) as value`.execute(scope.trx);
      return [await readUsage(scope), rows[0]!] as const;
    },
    { isolation: 'repeatable read', readOnly: true },
  );
  expect({
    points: stored.points,
    series: stored.series,
    files: stored.files,
    original: stored.originalBytes,
    value: stored.valueBytes,
  }).toEqual({
    points: Number(counted.points),
    series: Number(counted.series),
    files: Number(counted.files),
    original: Number(counted.original),
    value: Number(counted.value),
  });
}
