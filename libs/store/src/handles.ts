import type { Kysely } from 'kysely';
import type { Database } from './database.ts';

const tablesWithoutTenant = [
  'browser_session',
  'code_attempt',
  'device_code',
  'experiment_route',
  'invitation_route',
  'maintenance_turn',
  'oidc_attempt',
  'person',
  'person_identity',
  'person_workspace',
  'schema_migration',
  'share_link_route',
  'sign_in_link',
  'signing_key',
  'token_route',
] as const;

/**
 * Tables without a tenant: a few small tables that are mostly read. Adding one is a deliberate
 * decision. Older versions recognize a new table by its comment, which starts with "Global:".
 */
export const globalTables: readonly string[] = tablesWithoutTenant;

/** The columns that the role plotline_sweeper may read. Null means the whole table. */
export const sweptTables = {
  audit_entry: ['at', 'tenant_id'],
  citation: null,
  deletion: null,
  event_file: null,
  export_job: null,
  idempotency_key: ['created_at', 'tenant_id'],
  pending_segment: null,
  progress_batch: null,
  progress_view: null,
  run_tail: null,
  run_work: null,
  series_to_roll_up: null,
  uploader_request: ['received_at', 'tenant_id'],
  workspace: null,
} as const satisfies { readonly [Table in keyof Database]?: readonly (keyof Database[Table])[] | null };

type Granted<Table, Columns> = Columns extends readonly (infer Column)[] ? Pick<Table, Column & keyof Table> : Table;

type SweptDatabase = { readonly [Table in keyof typeof sweptTables]: Granted<Database[Table], (typeof sweptTables)[Table]> };

/**
 * Runs queries on global tables, as plotline_app. Outside a tenant's transaction, row level
 * security hides all rows of other tables. A tenant's transaction can be used in its place.
 */
export type GlobalHandle = Kysely<Pick<Database, (typeof tablesWithoutTenant)[number] & keyof Database>>;

/**
 * Runs queries across all tenants, as plotline_sweeper. This role reads {@link sweptTables} and
 * writes nothing.
 */
export type SweeperHandle = Omit<
  Kysely<SweptDatabase>,
  'insertInto' | 'replaceInto' | 'updateTable' | 'deleteFrom' | 'mergeInto' | 'schema' | 'withTables' | 'destroy'
>;
