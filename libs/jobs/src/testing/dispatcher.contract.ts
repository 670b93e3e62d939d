import { describe, expect, it } from 'vitest';
import { experimentIdOf, runIdOf, tenantIdOf } from '#model/testing';
import type { Dispatcher } from '../dispatcher.ts';
import type { IngestOutcome, IngestRun } from '../ingest-run.job.ts';

/** A job with small numeric ids. */
export function jobOf(tenant: number, run: number): IngestRun {
  return {
    tenantId: tenantIdOf(`00000000-0000-4000-8000-${String(tenant).padStart(12, '0')}`),
    experimentId: experimentIdOf('e'.repeat(22)),
    runId: runIdOf(String(run)),
  };
}

/** A handler with jobs that end when the test ends them. */
export class HeldHandler {
  readonly started: IngestRun[] = [];
  readonly #held: { job: IngestRun; end: (outcome: IngestOutcome) => void; fail: (error: Error) => void }[] = [];
  #waiting: { count: number; resolve: () => void }[] = [];

  readonly handle = (job: IngestRun): Promise<IngestOutcome> => {
    this.started.push(job);
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.started.length < count) return true;
      resolve();
      return false;
    });
    return new Promise((end, fail) => this.#held.push({ job, end, fail }));
  };

  /** Resolves when `count` jobs have been started in total. */
  untilStarted(count: number): Promise<void> {
    return this.started.length >= count ? Promise.resolve() : new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  /** Ends the longest-running job. */
  end(outcome: IngestOutcome): void {
    this.#held.shift()!.end(outcome);
  }

  fail(error: Error): void {
    this.#held.shift()!.fail(error);
  }
}

/**
 * The contract of every dispatcher. `make` returns a new one. `groupMs` is the delay between two
 * jobs of a run if there was little to do.
 */
export function dispatcherContract(name: string, make: (onError: (error: unknown) => void, groupMs: number) => Dispatcher): void {
  describe(`${name} as a dispatcher`, () => {
    it('keeps offers until there is a handler', async () => {
      const dispatcher = make(() => undefined, 0);
      const handler = new HeldHandler();
      dispatcher.offer(jobOf(1, 1));
      dispatcher.start(handler.handle, 2);
      await handler.untilStarted(1);
      handler.end('idle');
      await dispatcher.close();
    });

    it('never runs two jobs of one run at once, and runs it again if offered meanwhile', async () => {
      const dispatcher = make(() => undefined, 0);
      const handler = new HeldHandler();
      dispatcher.start(handler.handle, 4);
      dispatcher.offer(jobOf(1, 1));
      await handler.untilStarted(1);
      for (let i = 0; i < 5; i++) dispatcher.offer(jobOf(1, 1));
      dispatcher.offer(jobOf(1, 2));
      await handler.untilStarted(2);
      expect(handler.started.map((job) => job.runId)).toEqual(['1', '2']);
      handler.end('idle');
      await handler.untilStarted(3);
      expect(handler.started.at(-1)!.runId).toBe('1');
      handler.end('idle');
      handler.end('idle');
      await dispatcher.close();
      expect(handler.started).toHaveLength(3);
    });

    it('runs a run again that has more to do', async () => {
      const dispatcher = make(() => undefined, 0);
      const handler = new HeldHandler();
      dispatcher.start(handler.handle, 1);
      dispatcher.offer(jobOf(1, 1));
      await handler.untilStarted(1);
      handler.end('more');
      await handler.untilStarted(2);
      handler.end('idle');
      await dispatcher.close();
    });

    it('alternates between tenants: a thousand runs of one do not starve the single run of another', async () => {
      const dispatcher = make(() => undefined, 0);
      const handler = new HeldHandler();
      for (let run = 1; run <= 1_000; run++) dispatcher.offer(jobOf(1, run));
      dispatcher.offer(jobOf(2, 1));
      dispatcher.start(handler.handle, 1);
      await handler.untilStarted(1);
      handler.end('idle');
      await handler.untilStarted(2);
      expect(handler.started.map((job) => job.tenantId)).toContain(jobOf(2, 1).tenantId);
      handler.end('idle');
      await handler.untilStarted(3);
      handler.end('idle');
      await dispatcher.close();
    });

    it('reports a handler that fails, and continues', async () => {
      const errors: unknown[] = [];
      const dispatcher = make((error) => errors.push(error), 0);
      const handler = new HeldHandler();
      dispatcher.start(handler.handle, 1);
      dispatcher.offer(jobOf(1, 1));
      dispatcher.offer(jobOf(1, 2));
      await handler.untilStarted(1);
      handler.fail(new Error('no'));
      await handler.untilStarted(2);
      expect(errors).toEqual([new Error('no')]);
      handler.end('idle');
      await dispatcher.close();
    });

    it('delays the next job of a run that had little to do, and then runs it once for all offers in between', async () => {
      const dispatcher = make(() => undefined, 500);
      const handler = new HeldHandler();
      dispatcher.start(handler.handle, 1);
      dispatcher.offer(jobOf(1, 1));
      await handler.untilStarted(1);
      handler.end('little');
      dispatcher.offer(jobOf(1, 1));
      dispatcher.offer(jobOf(1, 1));
      dispatcher.offer(jobOf(1, 2));
      await handler.untilStarted(2);
      handler.end('idle');
      await handler.untilStarted(3);
      expect(handler.started.map((job) => job.runId)).toEqual(['1', '2', '1']);
      handler.end('idle');
      dispatcher.offer(jobOf(1, 3));
      await handler.untilStarted(4);
      handler.end('idle');
      await dispatcher.close();
      expect(handler.started).toHaveLength(4);
    });

    it.each(['busy', 'idle', 'little'] as const)('does not run a job again after it was %s', async (outcome) => {
      const dispatcher = make(() => undefined, 0);
      const handler = new HeldHandler();
      dispatcher.start(handler.handle, 1);
      dispatcher.offer(jobOf(1, 1));
      await handler.untilStarted(1);
      handler.end(outcome);
      dispatcher.offer(jobOf(1, 2));
      await handler.untilStarted(2);
      handler.end('idle');
      dispatcher.offer(jobOf(1, 3));
      await handler.untilStarted(3);
      handler.end('idle');
      await dispatcher.close();
      expect(handler.started.map((job) => job.runId)).toEqual(['1', '2', '3']);
    });

    it('waits for running jobs when it closes, and starts no others', async () => {
      const dispatcher = make(() => undefined, 0);
      const handler = new HeldHandler();
      dispatcher.start(handler.handle, 1);
      dispatcher.offer(jobOf(1, 1));
      dispatcher.offer(jobOf(1, 2));
      await handler.untilStarted(1);
      const closed = dispatcher.close();
      dispatcher.offer(jobOf(1, 3));
      handler.end('idle');
      await closed;
      await dispatcher.close(); // closing again is harmless
      expect(handler.started).toHaveLength(1);
    });
  });
}
