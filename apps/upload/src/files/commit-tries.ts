import { Problem } from '#model';
import { isTransient } from '#store';

/** Maximum attempts at the commit of one request. */
export const commitTries = 3;

/**
 * Calls `attempt`, which makes one commit, up to {@link commitTries} times: until it returns
 * something else than null. Null means that nothing was committed, because something that the
 * attempt had read before has changed. An attempt whose error is transient is repeated too, but it
 * may have been committed, so the next one must recognize that.
 *
 * A Problem is thrown immediately: the server is down, full or busy, which the client should learn
 * now. What is left are internal errors (XX000), which Citus raises while a shard moves, and
 * missing privileges, which an operator is changing.
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
