import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** Removes a person's ways to sign in, and their sign-ins in progress. All are global. */
const waysIn = ['person_identity', 'oidc_attempt', 'device_code', 'code_attempt'] as const;

/**
 * Removes a person's name, every session and sign-in link, and the list of their workspaces. All of
 * these are global.
 */
export async function erasePersonRow(db: GlobalHandle, personId: string): Promise<void> {
  await sql`/* erase-person-row-browser-session */ delete from browser_session where person_id = ${personId}`.execute(db);
  await sql`/* erase-person-row-sign-in-link */ delete from sign_in_link where person_id = ${personId}`.execute(db);
  for (const table of waysIn) await sql`/* erase-person-rows */ delete from ${sql.table(table)} where person_id = ${personId}`.execute(db);
  await sql`/* erase-person-row-person-workspace */ delete from person_workspace where person_id = ${personId}`.execute(db);
  await sql`/* erase-person-row-person */
    update person set display_name = 'Erased person', erased_at = now() where person_id = ${personId}`.execute(db);
}
