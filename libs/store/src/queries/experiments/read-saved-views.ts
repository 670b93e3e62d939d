import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A named view of an experiment's page. */
export interface SavedView {
  readonly viewId: string;
  readonly experimentId: ExperimentId;
  /** Null if the person was erased. */
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly name: string;
  /** The query string of the page's address. */
  readonly parameters: string;
  /** Whether the view is visible to the whole workspace rather than only to its owner. */
  readonly shared: boolean;
  readonly isDefault: boolean;
  readonly updatedAt: Date;
}

interface Row {
  view_id: string;
  experiment_id: ExperimentId;
  owner_id: string | null;
  display_name: string | null;
  name: string;
  parameters: string;
  shared: boolean;
  is_default: boolean;
  updated_at: Date;
}

function toSavedView(row: Row): SavedView {
  return {
    viewId: row.view_id,
    experimentId: row.experiment_id,
    owner: row.owner_id === null ? null : { id: row.owner_id, name: row.display_name ?? '' },
    name: row.name,
    parameters: row.parameters,
    shared: row.shared,
    isDefault: row.is_default,
    updatedAt: row.updated_at,
  };
}

const columns = sql`v.view_id, v.experiment_id, v.owner_id, p.display_name, v.name, v.parameters, v.shared, v.is_default, v.updated_at`;

/** An experiment's shared views and a person's private views, ordered by name. */
export async function listSavedViews(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  { personId, limit }: { readonly personId: string; readonly limit: number },
): Promise<SavedView[]> {
  const { rows } = await sql<Row>`/* list-saved-views */
    select ${columns} from saved_view v left join person p on p.person_id = v.owner_id
    where v.tenant_id = ${tenantId} and v.experiment_id = ${experimentId} and (v.shared or v.owner_id = ${personId})
    order by v.name, v.view_id limit ${limit}`.execute(trx);
  return rows.map(toSavedView);
}

/** One view. Null if there is none with this id. The caller checks who may see it. */
export async function readSavedView({ trx, tenantId }: TenantScope, viewId: string): Promise<SavedView | null> {
  const { rows } = await sql<Row>`/* read-saved-view */
    select ${columns} from saved_view v left join person p on p.person_id = v.owner_id
    where v.tenant_id = ${tenantId} and v.view_id = ${viewId}`.execute(trx);
  return rows[0] ? toSavedView(rows[0]) : null;
}
