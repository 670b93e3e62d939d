import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiProblem } from '../api/problem.ts';
import { EventStream } from './event-stream.ts';

/** A connection that a test controls. */
class FakeSource {
  readyState = 0;
  isClosed = false;
  readonly #listeners = { open: () => undefined as void, error: () => undefined as void };

  addEventListener(type: 'open' | 'error', listener: () => void): void {
    this.#listeners[type] = listener;
  }

  close(): void {
    this.isClosed = true;
  }

  open(): void {
    this.readyState = 1;
    this.#listeners.open();
  }

  /** `forGood`: closes it permanently, because the response was not a stream. */
  fail(forGood: boolean): void {
    this.readyState = forGood ? 2 : 0;
    this.#listeners.error();
  }
}

describe('a stream of events', () => {
  const sources: FakeSource[] = [];
  const events: string[] = [];
  let response: () => Promise<unknown>;
  let stream: EventStream;

  beforeEach(() => {
    vi.useFakeTimers();
    sources.length = events.length = 0;
    response = () => Promise.resolve();
    stream = new EventStream({
      connect: () => {
        const made = new FakeSource();
        sources.push(made);
        return made;
      },
      ask: () => {
        events.push('asked');
        return response();
      },
      opened: () => events.push('opened'),
      lost: () => events.push('lost'),
      rejected: () => events.push('refused'),
    });
    stream.start();
  });
  afterEach(() => {
    stream.stop();
    vi.useRealTimers();
  });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('is left alone while the browser reconnects', async () => {
    sources[0]!.open();
    sources[0]!.fail(false);
    await pass(600_000);
    sources[0]!.open();
    expect(events).toEqual(['opened', 'lost', 'opened']);
    expect(sources).toHaveLength(1);
  });

  it('is opened again when the browser has given up', async () => {
    sources[0]!.open();
    sources[0]!.fail(true);
    await pass(1_000);
    expect(sources).toHaveLength(2);
    sources[1]!.open();
    expect(events).toEqual(['opened', 'lost', 'asked', 'opened']);
  });

  it('backs off', async () => {
    response = () => Promise.reject(new ApiProblem(503, 'unavailable', 'down'));
    sources[0]!.fail(true);
    await pass(600_000);
    const asked = events.filter((one) => one === 'asked').length;
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(30);
    response = () => Promise.resolve();
    await pass(60_000);
    expect(sources).toHaveLength(2);
  });

  it.each([401, 403, 404])('is not retried after a permanent error: %d', async (status) => {
    response = () => Promise.reject(new ApiProblem(status, 'no', 'no'));
    sources[0]!.fail(true);
    await pass(600_000);
    expect(events).toEqual(['lost', 'asked', 'refused']);
    stream.start();
    expect(sources).toHaveLength(2);
  });

  it('stays closed', async () => {
    sources[0]!.fail(true);
    stream.stop();
    await pass(600_000);
    expect(sources).toHaveLength(1);
    stream.start();
    stream.stop();
    sources[1]!.fail(true);
    await pass(600_000);
    expect([sources.length, sources[1]!.isClosed]).toEqual([2, true]);
    expect(events).toEqual(['lost']);
  });

  it('stays closed when it is stopped during its check', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    response = () => promise;
    sources[0]!.fail(true);
    await pass(1_000);
    stream.stop();
    stream.start();
    resolve();
    await pass(600_000);
    expect(sources).toHaveLength(2);
  });
});
