import type { ServerResponse } from 'node:http';
import { ClientGone, currentShare, FairQueue } from '#admission';
import { Problem } from '#model';

const MiB = 1024 * 1024;
/**
 * Maximum memory of all responses that are being created or read by their clients. A guess: a
 * fraction of the 512 MiB that a process may use.
 */
const memory = new FairQueue('answers', 192 * MiB);
/** Smaller responses are not counted, because a web page requests dozens. */
const maxUncounted = MiB;
/** How long a response waits for memory. */
const maxWaitMs = 3_000;

/**
 * Reserves memory for a response of this many bytes until the response is sent or its connection
 * ends. Throws `rate-limited` if the caller's responses use up its share.
 */
export function reserveResponse(response: ServerResponse): (bytes: number) => Promise<void> {
  return async (bytes) => {
    if (bytes <= maxUncounted) return;
    const permit = await memory
      .take(currentShare(), bytes, () => AbortSignal.timeout(maxWaitMs))
      .catch((error: unknown) => {
        if (error instanceof ClientGone) throw error;
        throw new Problem(
          'rate-limited',
          'Your large responses use all the memory available to you. Finish reading them, then try again.',
          {
            cause: error,
          },
        );
      });
    if (response.destroyed) permit.release();
    else response.once('close', () => permit.release());
  };
}
