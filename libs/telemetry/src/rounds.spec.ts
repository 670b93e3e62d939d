import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderMetrics } from './metrics.ts';
import { every, Rounds, type RoundsOptions } from './rounds.ts';

describe('rounds', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Rounds that take a few milliseconds each, and their start times. */
  function roundsOf(options: Partial<RoundsOptions> = {}, tookMs: (round: number) => number = () => 0) {
    const startedAt: number[] = [];
    const errors: unknown[] = [];
    const from = performance.now();
    const rounds = new Rounds(
      async () => {
        const round = startedAt.push(performance.now() - from);
        const ms = tookMs(round);
        if (ms < 0) throw new Error(`round ${round}`);
        if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      },
      { name: 'test', pauseMs: () => 100, onError: (error) => errors.push(error), ...options },
    );
    return { rounds, startedAt, errors };
  }

  it('start at once, and follow each other after a pause, one at a time', async () => {
    const { rounds, startedAt } = roundsOf({}, () => 30);
    rounds.start();
    await vi.advanceTimersByTimeAsync(425);
    await rounds.close();
    expect(startedAt).toEqual([0, 130, 260, 390]);
  });

  it('start later if that is said', async () => {
    const { rounds, startedAt } = roundsOf({ firstAfterMs: 70 });
    rounds.start();
    await vi.advanceTimersByTimeAsync(180);
    await rounds.close();
    expect(startedAt).toEqual([70, 170]);
  });

  it('pause as long as the last round says', async () => {
    const { rounds, startedAt } = roundsOf({ pauseMs: (tookMs) => 3 * tookMs }, (round) => 10 * round);
    rounds.start();
    await vi.advanceTimersByTimeAsync(200);
    await rounds.close();
    expect(startedAt).toEqual([0, 40, 120]);
  });

  it('keep a rhythm, and skip the starts that a long round misses', async () => {
    const { rounds, startedAt } = roundsOf({ pauseMs: every(100) }, (round) => (round === 2 ? 250 : 30));
    rounds.start();
    await vi.advanceTimersByTimeAsync(550);
    await rounds.close();
    expect(startedAt).toEqual([0, 100, 400, 500]);
  });

  it('start only once', async () => {
    const { rounds, startedAt } = roundsOf();
    rounds.start();
    expect(() => rounds.start()).toThrow('already started');
    await rounds.close();
    expect(() => rounds.start()).toThrow('already closed');
    await vi.advanceTimersByTimeAsync(500);
    expect(startedAt).toEqual([0]);
  });

  it('go on after one that fails, and report and count it', async () => {
    const failures = async (): Promise<number> =>
      Number(/^plotline_round_failures_total\{round="failing"\} (\d+)$/m.exec((await renderMetrics()).text)?.[1] ?? 0);
    const before = await failures();
    const { rounds, startedAt, errors } = roundsOf({ name: 'failing' }, (round) => (round < 3 ? -1 : 0));
    rounds.start();
    await vi.advanceTimersByTimeAsync(250);
    await rounds.close();
    expect([startedAt, errors]).toEqual([
      [0, 100, 200],
      [new Error('round 1'), new Error('round 2')],
    ]);
    expect((await failures()) - before).toBe(2);
  });

  it('run once more during a pause when one is needed now, or join the one that runs', async () => {
    const { rounds, startedAt } = roundsOf({}, () => 30);
    rounds.start();
    await vi.advanceTimersByTimeAsync(50);
    const calls = [rounds.now(), rounds.now()];
    await vi.advanceTimersByTimeAsync(30);
    await Promise.all(calls);
    await vi.advanceTimersByTimeAsync(130);
    await rounds.close();
    expect(startedAt).toEqual([0, 50, 130]);
  });

  it('can run one at a time without being started, and after the end', async () => {
    const { rounds, startedAt } = roundsOf();
    await rounds.now();
    await vi.advanceTimersByTimeAsync(500);
    await rounds.close();
    await rounds.now();
    await vi.advanceTimersByTimeAsync(500);
    expect(startedAt).toEqual([0, 500]);
  });

  it('end with the one that runs, for each caller who closes them', async () => {
    const { rounds, startedAt } = roundsOf({}, () => 30);
    rounds.start();
    await vi.advanceTimersByTimeAsync(10);
    expect(rounds.isClosing).toBe(false);
    const closed: string[] = [];
    const both = ['first', 'second'].map((who) => rounds.close().then(() => closed.push(who)));
    expect(rounds.isClosing).toBe(true);
    await vi.advanceTimersByTimeAsync(19);
    expect(closed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all(both);
    expect(closed).toEqual(['first', 'second']);
    await rounds.close();
    await vi.advanceTimersByTimeAsync(500);
    expect(startedAt).toEqual([0]);
  });
});
