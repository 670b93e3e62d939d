import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IngestPoolClosed } from './ingest-pool.ts';
import { Janitor } from './janitor.ts';

class Sweep extends Janitor {
  rounds = 0;
  readonly done: string[] = [];
  readonly #work: (item: string) => Promise<void>;

  constructor(work: (item: string) => Promise<void>, onError: (error: unknown) => void) {
    super('test', { everyMs: 10, onError });
    this.#work = work;
  }

  override async round(): Promise<void> {
    this.rounds++;
    await this.doEach(['a', 'b', 'c'], async (item) => {
      await this.#work(item);
      this.done.push(item);
    });
  }
}

describe('a janitor', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('continues after one item fails, and reports it', async () => {
    const errors: unknown[] = [];
    const broken = new Error('broken');
    const janitor = new Sweep(
      async (item) => {
        if (item === 'b') throw broken;
      },
      (error) => errors.push(error),
    );
    await janitor.round();
    expect(janitor.done).toEqual(['a', 'c']);
    expect(errors).toEqual([broken]);
  });

  it('continues after a round that failed', async () => {
    const errors: unknown[] = [];
    const janitor = new Sweep(
      async () => undefined,
      (error) => errors.push(error),
    );
    const round = vi.spyOn(janitor, 'round').mockRejectedValueOnce(new Error('the ledger is down'));
    janitor.start();
    await vi.advanceTimersByTimeAsync(25);
    await janitor.close();
    expect(round).toHaveBeenCalledTimes(2);
    expect(errors).toEqual([new Error('the ledger is down')]);
    expect(janitor.done).toEqual(['a', 'b', 'c']);
  });

  it('closes after the current item, and starts no other item or round', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const janitor = new Sweep(
      () => promise,
      (error) => expect.unreachable(String(error)),
    );
    janitor.start();
    await vi.advanceTimersByTimeAsync(35); // one round at a time
    const closed = janitor.close();
    resolve();
    await closed;
    await vi.advanceTimersByTimeAsync(50);
    expect(janitor).toMatchObject({ rounds: 1, done: ['a'] });
  });

  it('does not report work that a shutdown aborted', async () => {
    const errors: unknown[] = [];
    const janitor = new Sweep(
      () => Promise.reject(new IngestPoolClosed()),
      (error) => errors.push(error),
    );
    await janitor.round();
    expect(errors).toEqual([]);
  });
});
