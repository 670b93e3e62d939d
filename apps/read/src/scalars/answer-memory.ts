import type { ServerResponse } from 'node:http';
import { currentShare, FairQueue } from '#admission';
import { Problem } from '#model';

const MiB = 1024 * 1024;
/** What all answers may take that are being made, or wait to be read by their clients. A guess: a fraction of the 512 MiB that a process needs at most. */
const memory = new FairQueue('answers', 192 * MiB);
/** Smaller answers are not counted: a page of the web asks for dozens. */
const maxUncounted = MiB;
/** How long an answer waits for its memory. */
const patienceMs = 3_000;

/** Reserves the memory of an answer of so many bytes until it was sent, or its connection has ended. Throws `rate-limited` when the caller's answers take its part. */
export function reserveAnswer(response: ServerResponse): (bytes: number) => Promise<void> {
  return async (bytes) => {
    if (bytes <= maxUncounted) return;
    const permit = await memory.take(currentShare(), bytes, AbortSignal.timeout(patienceMs)).catch((error: unknown) => {
      throw new Problem(
        'rate-limited',
        'Your large responses use all the memory available to you. Read them, then try again in a moment.',
        {
          cause: error,
        },
      );
    });
    if (response.destroyed) permit.release();
    else response.once('close', () => permit.release());
  };
}
