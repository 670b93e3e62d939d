import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A person who created or changed a report. */
export interface ReportPerson {
  readonly id: string;
  readonly name: string;
}

/** A report without its text. */
export interface ReportSummary {
  readonly reportId: string;
  readonly title: string;
  /** Counts the changes. */
  readonly version: number;
  /** Null if the person was erased. */
  readonly owner: ReportPerson | null;
  /** The person who made the last change. Null if the person was erased. */
  readonly updatedBy: ReportPerson | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A report. */
export interface Report extends ReportSummary {
  /** Markdown. */
  readonly body: string;
  /** The experiments that the report's blocks show, as of the last change to the text. */
  readonly experiments: readonly ExperimentId[];
}

interface Row {
  report_id: string;
  title: string;
  version: number;
  owner_id: string | null;
  owner_name: string | null;
  updated_by: string | null;
  updated_by_name: string | null;
  created_at: Date;
  updated_at: Date;
}

const columns = sql`r.report_id, r.title, r.version, r.owner_id, o.display_name as owner_name, r.updated_by, u.display_name as updated_by_name, r.created_at, r.updated_at`;

/**
 * A page of a workspace's reports, most recently changed first. Returns null if `after`, the last
 * report of the previous page, was deleted.
 */
export async function listReports(
  { trx, tenantId }: TenantScope,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<ReportSummary[] | null> {
  const { rows } = await sql<Row>`/* list-reports */
    select ${columns} from report r
    left join person o on o.person_id = r.owner_id left join person u on u.person_id = r.updated_by
    where r.tenant_id = ${tenantId}
      and (${after}::uuid is null or (r.updated_at, r.report_id) < (
        select a.updated_at, a.report_id from report a where a.tenant_id = ${tenantId} and a.report_id = ${after}::uuid))
    order by r.updated_at desc, r.report_id desc limit ${limit}`.execute(trx);
  if (after !== null && rows.length === 0 && !(await hasReport({ trx, tenantId }, after))) return null;
  return rows.map(toSummary);
}

async function hasReport({ trx, tenantId }: Pick<TenantScope, 'trx' | 'tenantId'>, reportId: string): Promise<boolean> {
  const { rows } = await sql`/* has-report */
    select from report where tenant_id = ${tenantId} and report_id = ${reportId}`.execute(trx);
  return rows.length > 0;
}

/** A report. Null if there is no report with this id. */
export async function readReport({ trx, tenantId }: TenantScope, reportId: string): Promise<Report | null> {
  const { rows } = await sql<Row & { body: string; experiments: ExperimentId[] }>`/* read-report */
    select ${columns}, r.body, r.experiments from report r
    left join person o on o.person_id = r.owner_id left join person u on u.person_id = r.updated_by
    where r.tenant_id = ${tenantId} and r.report_id = ${reportId}`.execute(trx);
  return rows[0] ? { ...toSummary(rows[0]), body: rows[0].body, experiments: rows[0].experiments } : null;
}

function toSummary(row: Row): ReportSummary {
  return {
    reportId: row.report_id,
    title: row.title,
    version: row.version,
    owner: personOf(row.owner_id, row.owner_name),
    updatedBy: personOf(row.updated_by, row.updated_by_name),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function personOf(id: string | null, name: string | null): ReportPerson | null {
  return id === null ? null : { id, name: name ?? '' };
}
