/**
 * Loaded into a service whose memory is measured (`--expose-gc --import`): SIGUSR2 collects the
 * garbage of all its threads, so that only live memory is left.
 */
import { isMainThread } from 'node:worker_threads';

const asked = new BroadcastChannel('collect garbage');
asked.onmessage = () => globalThis.gc();
asked.unref();
if (isMainThread) {
  process.on('SIGUSR2', () => {
    globalThis.gc();
    asked.postMessage(null);
  });
}
