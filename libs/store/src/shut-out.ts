/** SQLSTATE insufficient_privilege: the role lacks a right, or a row is against a policy of row level security. */
export const lacksRight = '42501';

/** SQLSTATEs: no way in by pg_hba.conf, no such role or a wrong password, no such database, no right. Whoever runs the service has to mend that. */
export const shutOut: ReadonlySet<string> = new Set(['28000', '28P01', '3D000', lacksRight]);
