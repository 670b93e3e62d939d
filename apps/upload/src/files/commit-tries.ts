import { Problem } from '#model';
import { isTransient } from '#store';

/** Maximum attempts at the commit of one request. */
export const commitTries = 3;

/**
 * Whether a failed commit is not tried again. A Problem means that the server is down or full,
 * which the client should learn now; a deadlock is resolved by a retry.
 */
export function isFinal(error: unknown, tries: number): boolean {
  return error instanceof Problem || !isTransient(error) || tries === commitTries;
}
