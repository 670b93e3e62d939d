import { setTimeout as sleep } from 'node:timers/promises';
import type { AckLog } from './ack-log.ts';
import type { Violation } from './checker.ts';
import { Reader } from './reader.ts';
import type { SentFile } from './client.ts';

const askEveryMs = 100;
/** So often an experiment of which everything was seen is asked all the same: its frontier may not go back. */
const askQuietEveryMs = 5_000;

interface Watched {
  epoch: number;
  askedAt: number;
  /** The highest epoch in which something of it was acknowledged. */
  acknowledged: number;
  /** From each epoch that was seen to the moment (ms since 1970) when it was seen first. */
  readonly seen: { readonly epoch: number; readonly at: number }[];
}

/**
 * Looks at frontiers as readers do: when what was acknowledged became visible, and that no frontier ever goes back. It reads past the faults of
 * the clients' connection, so what it measures is the service. An experiment is asked until all that was acknowledged of it was seen.
 */
export class VisibilityWatch {
  readonly violations: Violation[] = [];
  readonly #reader: Reader;
  readonly #log: AckLog;
  readonly #watched = new Map<string, Watched>();
  readonly #experimentOf = new Map<string, string>();
  /** So many entries of the log were looked through for epochs. */
  #entriesRead = 0;
  #stopping: Promise<void> | null = null;
  #loop: Promise<void> | null = null;

  /** `url`: where readers ask, without the faults of the clients' connection. */
  constructor(reader: { readonly url: string; readonly token: string }, log: AckLog) {
    this.#reader = new Reader(reader);
    this.#log = log;
  }

  /** Begins to look at an experiment. */
  watch(experimentId: string): void {
    this.#watched.set(experimentId, { epoch: 0, askedAt: -Infinity, acknowledged: 0, seen: [] });
    this.#loop ??= this.#run();
  }

  /** Says where a file belongs, before anything is sent of it. */
  belongs({ fileId, experimentId }: Pick<SentFile, 'fileId' | 'experimentId'>): void {
    this.#experimentOf.set(fileId, experimentId);
  }

  /** Looks a last time; what was acknowledged and is not visible now is a violation. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  /** Milliseconds from acknowledgement to visibility of every append, ascending; Infinity: it was never seen. Coarse by the interval of asking, 100 ms. */
  delays(): number[] {
    const delays: number[] = [];
    for (const { fileId, epoch, at } of this.#log.entries) {
      if (epoch === null) continue;
      const seen = this.#watched.get(this.#experimentOf.get(fileId) ?? '')?.seen.find((look) => look.epoch >= epoch);
      delays.push(seen ? Math.max(0, seen.at - at) : Infinity);
    }
    return delays.sort((a, b) => a - b);
  }

  async #stop(): Promise<void> {
    await this.#loop;
    await this.#lookAround();
    for (const [experimentId, { epoch, acknowledged }] of this.#watched)
      if (acknowledged > epoch)
        this.violations.push({
          kind: 'never-visible',
          detail: `experiment ${experimentId}: epoch ${acknowledged} was acknowledged, at last ${epoch} was seen`,
        });
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      await this.#lookAround();
      await sleep(askEveryMs);
    }
  }

  /** Looks at every experiment of which something is not seen yet, and now and then at the others. */
  async #lookAround(): Promise<void> {
    for (const [experimentId, watched] of this.#watched) {
      this.#readLog();
      const { acknowledged, epoch, askedAt } = watched;
      if (acknowledged > epoch || performance.now() - askedAt > askQuietEveryMs) await this.#look(experimentId, watched);
    }
  }

  #readLog(): void {
    const { entries } = this.#log;
    for (; this.#entriesRead < entries.length; this.#entriesRead++) {
      const { fileId, epoch } = entries[this.#entriesRead]!;
      const watched = this.#watched.get(this.#experimentOf.get(fileId) ?? '');
      if (watched && epoch !== null) watched.acknowledged = Math.max(watched.acknowledged, epoch);
    }
  }

  async #look(experimentId: string, watched: Watched): Promise<void> {
    watched.askedAt = performance.now();
    const answer = await this.#reader.json<{ epoch: number }>(`/experiments/${experimentId}/frontier`).catch(() => null);
    if (!answer) return; // nobody serves right now
    const { epoch } = answer;
    if (epoch < watched.epoch)
      this.violations.push({ kind: 'visible-too-early', detail: `the frontier of ${experimentId} went from ${watched.epoch} to ${epoch}` });
    if (epoch > watched.epoch) watched.seen.push({ epoch, at: Date.now() });
    watched.epoch = Math.max(watched.epoch, epoch);
  }
}

/** The value below which this share of the sorted numbers lies; NaN of none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted.length === 0 ? NaN : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
