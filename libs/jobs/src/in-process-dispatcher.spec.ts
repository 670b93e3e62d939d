import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InProcessDispatcher } from './in-process-dispatcher.ts';
import { dispatcherContract, HeldHandler, jobOf } from './testing/index.ts';

dispatcherContract('InProcessDispatcher', (onError, groupMs) => new InProcessDispatcher(groupMs, onError));

describe('InProcessDispatcher', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('delays the next job of a run that had little to do, and then runs it once for all offers in between', async () => {
    const dispatcher = new InProcessDispatcher(1_000, () => undefined);
    const handler = new HeldHandler();
    dispatcher.start(handler.handle, 2);
    dispatcher.offer(jobOf(1, 1));
    handler.end('little');
    await vi.advanceTimersByTimeAsync(1);
    dispatcher.offer(jobOf(1, 1));
    dispatcher.offer(jobOf(1, 1));
    await vi.advanceTimersByTimeAsync(990);
    expect(handler.started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10);
    expect(handler.started).toHaveLength(2);
    handler.end('idle');
    await dispatcher.close();
  });
});
