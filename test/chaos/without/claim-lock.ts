import { changeStatement } from './statement.ts';

/**
 * Without this lock, two workers ingest one run at the same time. Returns a function that restores
 * it.
 */
export function removeClaimLock(): () => void {
  return changeStatement('claim-run', / for update of "w" skip locked\s*$/, '');
}
