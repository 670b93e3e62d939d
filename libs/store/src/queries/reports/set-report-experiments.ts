import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Sets the experiments to which links to a report give access. */
export async function setReportExperiments(
  { trx, tenantId }: TenantScope,
  reportId: string,
  experiments: readonly ExperimentId[],
): Promise<void> {
  await sql`/* set-report-experiments */
    update report set experiments = ${[...experiments]}::text[] where tenant_id = ${tenantId} and report_id = ${reportId}`.execute(trx);
}
