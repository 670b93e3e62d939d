import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiProblem } from '../api/problem.ts';
import type { FrontierJson } from '../api/types.ts';
import { ComparedWatch } from './compared-watch.ts';

describe('the watch over compared experiments', () => {
  const asked: string[] = [];
  const moved: string[] = [];
  let epochs: Record<string, number | Error>;
  let shown: Record<string, number | null>;
  let watch: ComparedWatch;

  beforeEach(() => {
    vi.useFakeTimers();
    asked.length = moved.length = 0;
    epochs = { a: 1, b: 1 };
    shown = { a: 1, b: 1 };
    watch = new ComparedWatch({
      ask: async (id) => {
        asked.push(id);
        const epoch = epochs[id]!;
        if (epoch instanceof Error) throw epoch;
        return { epoch } as FrontierJson;
      },
      shown: (id) => shown[id] ?? null,
      moved: (id) => moved.push(id),
    });
    watch.start();
    watch.watch(['a', 'b']);
  });
  afterEach(() => {
    watch.stop();
    vi.useRealTimers();
  });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('reports those that changed, until they are shown', async () => {
    await pass(10_000);
    expect(moved).toEqual([]);
    epochs.b = 2;
    await pass(10_000);
    expect(moved).toEqual(['b', 'b']);
    shown.b = 2;
    await pass(60_000);
    expect(moved).toHaveLength(2);
  });

  it('requests nothing after it stops, or for experiments that are no longer compared', async () => {
    watch.watch(['a']);
    await pass(5_000);
    expect(asked).toEqual(['a']);
    watch.stop();
    await pass(600_000);
    expect(asked).toEqual(['a']);
    watch.start();
    await pass(0);
    expect(asked).toEqual(['a', 'a']);
    watch.watch([]);
    await pass(600_000);
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it('stops after a permanent error, and backs off while the server is down', async () => {
    epochs.a = new ApiProblem(404, 'experiment-not-found', 'no');
    epochs.b = new ApiProblem(503, 'unavailable', 'down');
    await pass(600_000);
    expect(asked.filter((id) => id === 'a')).toHaveLength(1);
    expect(asked.filter((id) => id === 'b').length).toBeLessThan(30);
  });
});
