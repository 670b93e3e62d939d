import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A named view of the page of an experiment. */
export interface SavedView {
  readonly viewId: string;
  readonly experimentId: ExperimentId;
  /** Null: the person was erased. */
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly name: string;
  /** The query string of the page's address. */
  readonly parameters: string;
  /** Visible to the workspace; otherwise only to its owner. */
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

/** The shared views of an experiment, and the private ones of a person, by name. */
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

/** One view; null if there is none with this id. The caller checks who may see it. */
export async function readSavedView({ trx, tenantId }: TenantScope, viewId: string): Promise<SavedView | null> {
  const { rows } = await sql<Row>`/* read-saved-view */
    select ${columns} from saved_view v left join person p on p.person_id = v.owner_id
    where v.tenant_id = ${tenantId} and v.view_id = ${viewId}`.execute(trx);
  return rows[0] ? toSavedView(rows[0]) : null;
}

/**
 * Locks the views of an experiment against other changes until the transaction ends, and counts
 * those of a person's private list or the shared list.
 */
export async function lockSavedViews(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  { personId, shared }: { readonly personId: string; readonly shared: boolean },
): Promise<number> {
  await sql`/* lock-saved-views */
    select 1 from experiment where tenant_id = ${tenantId} and experiment_id = ${experimentId} for no key update`.execute(trx);
  const { rows } = await sql<{ count: string }>`/* count-saved-views */
    select count(*) as count from saved_view
    where tenant_id = ${tenantId} and experiment_id = ${experimentId} and shared = ${shared} and (shared or owner_id = ${personId})`.execute(
    trx,
  );
  return Number(rows[0]!.count);
}

/** A view to store. */
export interface NewSavedView {
  readonly viewId: string;
  readonly experimentId: ExperimentId;
  readonly ownerId: string;
  readonly name: string;
  readonly parameters: string;
  readonly shared: boolean;
}

/** Stores a view, which is not the default. */
export async function insertSavedView({ trx, tenantId }: TenantScope, view: NewSavedView): Promise<void> {
  await sql`/* insert-saved-view */
    insert into saved_view (tenant_id, view_id, experiment_id, owner_id, name, parameters, shared)
    values (${tenantId}, ${view.viewId}, ${view.experimentId}, ${view.ownerId}, ${view.name}, ${view.parameters}, ${view.shared})`.execute(
    trx,
  );
}

/** The fields of a view that may change; undefined ones do not. */
export interface SavedViewChanges {
  readonly name?: string | undefined;
  readonly parameters?: string | undefined;
  readonly shared?: boolean | undefined;
  readonly isDefault?: boolean | undefined;
}

/** Changes a view. A private view is not the default; a new default replaces the old one. */
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

/** Deletes a view. Idempotent. */
export async function removeSavedView({ trx, tenantId }: TenantScope, viewId: string): Promise<void> {
  await sql`/* remove-saved-view */
    delete from saved_view where tenant_id = ${tenantId} and view_id = ${viewId}`.execute(trx);
}
