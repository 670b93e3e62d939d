import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IngestRun } from './ingest-run.job.ts';
import { maxSending, maxUnsent, type OutboxCounts, QueueOutbox } from './queue-outbox.ts';
import type { Admission } from './run-queue.ts';
import { jobOf } from './testing/index.ts';

/** A queue with responses that the test controls. */
class HeldQueue {
  ready = true;
  readonly asked: IngestRun[] = [];
  readonly #held: { response: (admission: Admission) => void; fail: (error: Error) => void }[] = [];

  isReady(): boolean {
    return this.ready;
  }

  put(job: IngestRun): Promise<Admission> {
    this.asked.push(job);
    return new Promise((response, fail) => this.#held.push({ response, fail }));
  }

  async response(admission: Admission): Promise<void> {
    this.#held.shift()!.response(admission);
    await vi.advanceTimersByTimeAsync(0);
  }

  async fail(error: Error): Promise<void> {
    this.#held.shift()!.fail(error);
    await vi.advanceTimersByTimeAsync(0);
  }
}

describe('offers for Redis', () => {
  let queue: HeldQueue;
  let counts: OutboxCounts;
  let rejected: { job: IngestRun; error: unknown }[];
  let isTakenUp: boolean;
  let outbox: QueueOutbox;

  beforeEach(() => {
    vi.useFakeTimers();
    queue = new HeldQueue();
    counts = { offered: 0, queued: 0, lost: 0 };
    rejected = [];
    isTakenUp = false;
    outbox = new QueueOutbox(queue, counts, (job, error) => {
      rejected.push({ job, error });
      return isTakenUp;
    });
  });
  afterEach(() => {
    outbox.close();
    vi.useRealTimers();
  });

  it('are kept until there is a connection, once per run', () => {
    queue.ready = false;
    outbox.add(jobOf(1, 1));
    outbox.add(jobOf(1, 1));
    outbox.add(jobOf(1, 2));
    expect(queue.asked).toEqual([]);
    queue.ready = true;
    outbox.send();
    expect(queue.asked).toEqual([jobOf(1, 1), jobOf(1, 2)]);
  });

  it('are sent up to a limit at once, alternating between tenants', async () => {
    for (let run = 1; run <= 2 * maxSending; run++) outbox.add(jobOf(1, run));
    outbox.add(jobOf(2, 1));
    expect(queue.asked).toHaveLength(maxSending);
    await queue.response('queued');
    await queue.response('queued');
    expect(queue.asked).toHaveLength(maxSending + 2);
    expect(queue.asked.slice(maxSending)).toContainEqual(jobOf(2, 1));
  });

  it('are dropped and counted beyond the backlog', () => {
    queue.ready = false;
    for (let run = 0; run < maxUnsent + 5; run++) outbox.add(jobOf(1, run));
    expect(counts).toEqual({ offered: maxUnsent + 5, queued: 0, lost: 5 });
  });

  it('are kept when Redis rejects them, and the next ones are sent', async () => {
    outbox.add(jobOf(1, 1));
    await queue.fail(new Error('OOM'));
    outbox.add(jobOf(1, 2));
    await queue.response('queued');
    expect(counts).toEqual({ offered: 2, queued: 1, lost: 1 });
    expect(rejected).toEqual([{ job: jobOf(1, 1), error: new Error('OOM') }]);
    isTakenUp = true;
    outbox.add(jobOf(1, 3));
    await queue.fail(new Error('OOM'));
    expect(counts).toEqual({ offered: 3, queued: 1, lost: 1 });
  });

  it('of a resting run are sent once when the rest ends', async () => {
    outbox.add(jobOf(1, 1));
    await queue.response({ restMs: 1_000 });
    outbox.add(jobOf(1, 1));
    await vi.advanceTimersByTimeAsync(999);
    expect(queue.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(queue.asked).toEqual([jobOf(1, 1), jobOf(1, 1)]);
    await queue.response('queued');
    expect(counts.queued).toBe(1);
  });

  it('are discarded after close', async () => {
    outbox.add(jobOf(1, 1));
    outbox.close();
    await queue.response({ restMs: 10 });
    outbox.add(jobOf(1, 2));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(queue.asked).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
