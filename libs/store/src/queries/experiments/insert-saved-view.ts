import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A view to store. */
export interface NewSavedView {
  readonly viewId: string;
  readonly experimentId: ExperimentId;
  readonly ownerId: string;
  readonly name: string;
  readonly parameters: string;
  readonly shared: boolean;
}

/** Stores a view that is not the default. */
export async function insertSavedView({ trx, tenantId }: TenantScope, view: NewSavedView): Promise<void> {
  await sql`/* insert-saved-view */
    insert into saved_view (tenant_id, view_id, experiment_id, owner_id, name, parameters, shared)
    values (${tenantId}, ${view.viewId}, ${view.experimentId}, ${view.ownerId}, ${view.name}, ${view.parameters}, ${view.shared})`.execute(
    trx,
  );
}
