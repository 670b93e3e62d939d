import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';
import type { TenantScope } from '../../scope.ts';

/** A row about a person, with dates as ISO strings. */
export type PersonalRow = Readonly<Record<string, unknown>>;

/** The person's tokens, valid or not, without secrets. */
export async function readPersonTokens({ trx, tenantId }: TenantScope, personId: string): Promise<PersonalRow[]> {
  const { rows } = await sql<PersonalRow>`
    /* read-person-tokens */
    select token_id as id, name, hint, scopes, experiments, created_at, expires_at, revoked_at, last_used_at
    from access_token where tenant_id = ${tenantId} and person_id = ${personId} order by created_at, token_id`.execute(trx);
  return rows;
}

/** Experiments that they created. */
export async function readPersonExperiments({ trx, tenantId }: TenantScope, personId: string): Promise<PersonalRow[]> {
  const { rows } = await sql<PersonalRow>`
    /* read-person-experiments */
    select experiment_id as id, name, description, labels, created_at, updated_at
    from experiment where tenant_id = ${tenantId} and owner_id = ${personId} and deleted_at is null order by created_at, experiment_id`.execute(
    trx,
  );
  return rows;
}

/** Invitations that the person created or accepted. */
export async function readPersonInvitations({ trx, tenantId }: TenantScope, personId: string): Promise<PersonalRow[]> {
  const { rows } = await sql<PersonalRow>`
    /* read-person-invitations */
    select invitation_id as id, role, invited_by = ${personId} as made, used_by = ${personId} as accepted, created_at, expires_at, revoked_at, used_at
    from invitation where tenant_id = ${tenantId} and (invited_by = ${personId} or used_by = ${personId}) order by created_at, invitation_id`.execute(
    trx,
  );
  return rows;
}

/**
 * The person's browser sessions that have not ended, in all workspaces. `browser_session` is
 * global.
 */
export async function readPersonSessions(db: GlobalHandle, personId: string): Promise<PersonalRow[]> {
  const { rows } = await sql<PersonalRow>`
    /* read-person-sessions */
    select tenant_id as workspace, created_at, expires_at from browser_session where person_id = ${personId} and expires_at > now() order by created_at`.execute(
    db,
  );
  return rows;
}

/**
 * The providers that the person signs in through, and the data that these providers disclosed.
 * `person_identity` is global.
 */
export async function readPersonIdentities(db: GlobalHandle, personId: string): Promise<PersonalRow[]> {
  const { rows } = await sql<PersonalRow>`
    /* read-person-identities */
    select issuer, subject, email, created_at, used_at from person_identity where person_id = ${personId} order by created_at, issuer, subject`.execute(
    db,
  );
  return rows;
}

/** Views that they saved. */
export async function readPersonSavedViews({ trx, tenantId }: TenantScope, personId: string): Promise<PersonalRow[]> {
  const { rows } = await sql<PersonalRow>`
    /* read-person-saved-views */
    select view_id as id, experiment_id as experiment, name, parameters, shared, created_at, updated_at
    from saved_view where tenant_id = ${tenantId} and owner_id = ${personId} order by created_at, view_id`.execute(trx);
  return rows;
}

/** Reports that they created. */
export async function readPersonReports({ trx, tenantId }: TenantScope, personId: string): Promise<PersonalRow[]> {
  const { rows } = await sql<PersonalRow>`
    /* read-person-reports */
    select report_id as id, title, body, created_at, updated_at
    from report where tenant_id = ${tenantId} and owner_id = ${personId} order by created_at, report_id`.execute(trx);
  return rows;
}

/** Links that the person created to reports, without secrets. */
export async function readPersonReportLinks({ trx, tenantId }: TenantScope, personId: string): Promise<PersonalRow[]> {
  const { rows } = await sql<PersonalRow>`
    /* read-person-report-links */
    select link_id as id, report_id as report, name, created_at, expires_at, revoked_at
    from report_link where tenant_id = ${tenantId} and made_by = ${personId} order by created_at, link_id`.execute(trx);
  return rows;
}

/** Links that the person created to experiments, without secrets. */
export async function readPersonShareLinks({ trx, tenantId }: TenantScope, personId: string): Promise<PersonalRow[]> {
  const { rows } = await sql<PersonalRow>`
    /* read-person-share-links */
    select link_id as id, kind as form, source_id as experiment, name, created_at, expires_at, revoked_at
    from share_link where tenant_id = ${tenantId} and made_by = ${personId} order by created_at, link_id`.execute(trx);
  return rows;
}
