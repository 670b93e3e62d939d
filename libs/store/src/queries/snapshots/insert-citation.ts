import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Citation metadata from the authors of a snapshot. */
export interface NewCitation {
  readonly title: string;
  readonly authors: readonly string[];
  readonly license: string | null;
  /** YYYY-MM-DD. Null means today in UTC, by the database's clock. */
  readonly published: string | null;
}

/** Makes a snapshot citable. */
export async function insertCitation({ trx, tenantId }: TenantScope, experimentId: ExperimentId, citation: NewCitation): Promise<void> {
  const { title, authors, license, published } = citation;
  await sql`/* insert-citation */ insert into citation (tenant_id, experiment_id, title, authors, license, published_on)
    values (${tenantId}, ${experimentId}, ${title}, ${[...authors]}::text[], ${license},
      coalesce(${published}::date, (now() at time zone 'UTC')::date))`.execute(trx);
}
