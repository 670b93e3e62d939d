/**
 * SQLSTATE insufficient_privilege: the role lacks a privilege, or a row violates a row level
 * security policy.
 */
export const lacksRight = '42501';

/**
 * SQLSTATEs: rejected by pg_hba.conf; no such role, or wrong password; no such database; no
 * privilege. The operator must fix these.
 */
export const shutOut: ReadonlySet<string> = new Set(['28000', '28P01', '3D000', lacksRight]);
