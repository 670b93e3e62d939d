import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';
import type { SavedView } from './read-saved-views.ts';

/** The fields of a view that may change. Undefined fields do not change. */
export interface SavedViewChanges {
  readonly name?: string | undefined;
  readonly parameters?: string | undefined;
  readonly shared?: boolean | undefined;
  readonly isDefault?: boolean | undefined;
}

/** Changes a view. A private view cannot be the default. A new default replaces the old one. */
export async function updateSavedView(
  { trx, tenantId }: TenantScope,
  { viewId, experimentId }: Pick<SavedView, 'viewId' | 'experimentId'>,
  { name = null, parameters = null, shared = null, isDefault = null }: { [Key in keyof SavedViewChanges]?: SavedViewChanges[Key] | null },
): Promise<void> {
  if (isDefault)
    await sql`/* update-saved-view-old-default */
      update saved_view set is_default = false
      where tenant_id = ${tenantId} and experiment_id = ${experimentId} and is_default and view_id <> ${viewId}`.execute(trx);
  await sql`/* update-saved-view */
    update saved_view set
      name = coalesce(${name}::text, name),
      parameters = coalesce(${parameters}::text, parameters),
      shared = coalesce(${shared}::boolean, shared),
      is_default = coalesce(${isDefault}::boolean, is_default) and coalesce(${shared}::boolean, shared),
      updated_at = now()
    where tenant_id = ${tenantId} and view_id = ${viewId}`.execute(trx);
}
