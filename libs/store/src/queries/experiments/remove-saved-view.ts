import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** Deletes a view. Idempotent. */
export async function removeSavedView({ trx, tenantId }: TenantScope, viewId: string): Promise<void> {
  await sql`/* remove-saved-view */
    delete from saved_view where tenant_id = ${tenantId} and view_id = ${viewId}`.execute(trx);
}
