import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/**
 * Counts a person's attempt to enter a code before the lookup, so that concurrent attempts count
 * too. Returns the number of attempts in the last `windowSeconds`.
 */
export async function countCodeAttempt(db: GlobalHandle, personId: string, windowSeconds: number): Promise<number> {
  const { rows: times } = await sql<{ counted_from: Date }>`
    /* read-attempt-window */
    select now() - make_interval(secs => ${windowSeconds}::int) as counted_from`.execute(db);
  const from = times[0]!.counted_from;
  const { rows } = await sql<{ attempts: number }>`
    /* count-code-attempt */
    insert into code_attempt as c (person_id, attempts, since) values (${personId}, 1, now())
    on conflict (person_id) do update set
      attempts = case when c.since < ${from} then 1 else c.attempts + 1 end,
      since = case when c.since < ${from} then excluded.since else c.since end
    returning attempts`.execute(db);
  return rows[0]!.attempts;
}

/** Call if the code was correct, so that the attempt is not counted. */
export async function forgiveCodeAttempt(db: GlobalHandle, personId: string): Promise<void> {
  await sql`/* forgive-code-attempt */
    update code_attempt set attempts = greatest(attempts - 1, 0) where person_id = ${personId}`.execute(db);
}
