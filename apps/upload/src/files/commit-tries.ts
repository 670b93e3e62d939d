import { Problem } from '#model';
import { isTransient } from '#store';

/** Maximum attempts to commit one request. */
export const commitTries = 3;

/**
 * Calls `attempt`, which makes one commit, until it returns something other than null, but at most
 * {@link commitTries} times. Null means that nothing was committed, because something that the
 * attempt had read before has changed. If an attempt fails with a transient error, it is repeated
 * too. It may have been committed, so the next attempt must recognize that.
 *
 * A Problem is thrown immediately: the server is down, full or busy, and the client should learn
 * this now. The remaining errors are internal errors (XX000), which Citus raises while a shard
 * moves, and missing privileges, which an operator is changing.
 */
export async function inCommitTries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      const result = await attempt();
      if (result !== null || tries === commitTries) return result;
    } catch (error) {
      if (error instanceof Problem || !isTransient(error) || tries === commitTries) throw error;
    }
  }
}
