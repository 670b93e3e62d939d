import { setTimeout as sleep } from 'node:timers/promises';
import type { AckLog } from './ack-log.ts';
import type { Violation } from './checker.ts';
import { Reader } from './reader.ts';
import type { SentFile } from './client.ts';
import type { Stack } from './stack.ts';

const askEveryMs = 100;
/** An experiment that did not move for so long is not asked any more. */
const quietMs = 30_000;

interface Watched {
  epoch: number;
  movedAt: number;
  /** From each epoch that was seen to the moment (ms since 1970) when it was seen first. */
  readonly seen: { readonly epoch: number; readonly at: number }[];
}

/**
 * Looks at frontiers as readers do: when what was acknowledged became visible, and that no frontier ever goes back. It reads past the faults of
 * the clients' connection, so what it measures is the service.
 */
export class VisibilityWatch {
  readonly violations: Violation[] = [];
  readonly #reader: Reader;
  readonly #log: AckLog;
  readonly #watched = new Map<string, Watched>();
  readonly #experimentOf = new Map<string, string>();
  #stopped = false;
  #loop: Promise<void> | null = null;

  constructor(stack: Stack, log: AckLog) {
    this.#reader = new Reader({ url: stack.parts.front.url, token: stack.token });
    this.#log = log;
  }

  /** Begins to look at an experiment. */
  watch(experimentId: string): void {
    this.#watched.set(experimentId, { epoch: 0, movedAt: performance.now(), seen: [] });
    this.#loop ??= this.#run();
  }

  /** Says where a file belongs. */
  belongs({ fileId, experimentId }: SentFile): void {
    this.#experimentOf.set(fileId, experimentId);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  /** Milliseconds from acknowledgement to visibility of every append whose epoch was seen, ascending. Coarse by the interval of asking, 100 ms. */
  delays(): number[] {
    const delays: number[] = [];
    for (const { fileId, epoch, at } of this.#log.entries) {
      if (epoch === null) continue;
      const watched = this.#watched.get(this.#experimentOf.get(fileId) ?? '');
      const seen = watched?.seen.find((look) => look.epoch >= epoch);
      if (seen) delays.push(Math.max(0, seen.at - at));
    }
    return delays.sort((a, b) => a - b);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const now = performance.now();
      for (const [experimentId, watched] of this.#watched) {
        if (now - watched.movedAt > quietMs || this.#stopped) continue;
        await this.#look(experimentId, watched);
      }
      await sleep(askEveryMs);
    }
  }

  async #look(experimentId: string, watched: Watched): Promise<void> {
    const answer = await this.#reader
      .json<{ epoch: number; acknowledged_epoch: number }>(`/experiments/${experimentId}/frontier`)
      .catch(() => null);
    if (!answer) return; // nobody serves right now
    const { epoch, acknowledged_epoch: acknowledged } = answer;
    if (epoch < watched.epoch)
      this.violations.push({ kind: 'visible-too-early', detail: `the frontier of ${experimentId} went from ${watched.epoch} to ${epoch}` });
    if (epoch !== watched.epoch || acknowledged !== epoch) watched.movedAt = performance.now();
    if (epoch > watched.epoch) watched.seen.push({ epoch, at: Date.now() });
    watched.epoch = Math.max(watched.epoch, epoch);
  }
}

/** The value below which this share of the sorted numbers lies; NaN of none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted.length === 0 ? NaN : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
