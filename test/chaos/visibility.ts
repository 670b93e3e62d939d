import { setTimeout as sleep } from 'node:timers/promises';
import type { AckLog } from './ack-log.ts';
import type { Violation } from './checker.ts';
import { Reader } from './reader.ts';
import type { SentFile } from './client.ts';

const askEveryMs = 100;
/** Poll interval of an experiment that is completely visible: its frontier must not decrease. */
const askQuietEveryMs = 5_000;

interface Watched {
  epoch: number;
  askedAt: number;
  /** The highest acknowledged epoch. */
  acknowledged: number;
  /** Epochs of the frontier, and when each was first seen (ms since 1970). */
  readonly seen: { readonly epoch: number; readonly at: number }[];
}

/**
 * Polls frontiers as readers do: measures when acknowledged data becomes visible, and checks that
 * no frontier ever decreases. It bypasses the faults on the clients' connection, so it measures
 * only the service. It polls an experiment until everything acknowledged is visible.
 */
export class VisibilityWatch {
  readonly violations: Violation[] = [];
  readonly #reader: Reader;
  readonly #log: AckLog;
  readonly #watched = new Map<string, Watched>();
  readonly #experimentOf = new Map<string, string>();
  /** Number of log entries processed so far. */
  #entriesRead = 0;
  #stopping: Promise<void> | null = null;
  #loop: Promise<void> | null = null;

  /** `url`: address for readers, without the faults on the clients' connection. */
  constructor(reader: { readonly url: string; readonly token: string }, log: AckLog) {
    this.#reader = new Reader(reader);
    this.#log = log;
  }

  /** Starts watching an experiment. */
  watch(experimentId: string): void {
    this.#watched.set(experimentId, { epoch: 0, askedAt: -Infinity, acknowledged: 0, seen: [] });
    this.#loop ??= this.#run();
  }

  /** Assigns a file to its experiment; call it before the first byte is sent. */
  belongs({ fileId, experimentId }: Pick<SentFile, 'fileId' | 'experimentId'>): void {
    this.#experimentOf.set(fileId, experimentId);
  }

  /** Polls one last time; acknowledged data that is not visible then is a violation. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  /**
   * Returns the milliseconds from acknowledgement to visibility per append, ascending; Infinity if
   * the append never became visible. Resolution: the poll interval of 100 ms.
   */
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

  /**
   * Polls every experiment with data that is not visible yet, and occasionally the other
   * experiments.
   */
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
    const response = await this.#reader.json<{ epoch: number }>(`/experiments/${experimentId}/frontier`).catch(() => null);
    if (!response) return; // The service is down at the moment.
    const { epoch } = response;
    if (epoch < watched.epoch)
      this.violations.push({
        kind: 'visible-too-early',
        detail: `the frontier of ${experimentId} moved from ${watched.epoch} to ${epoch}`,
      });
    if (epoch > watched.epoch) watched.seen.push({ epoch, at: Date.now() });
    watched.epoch = Math.max(watched.epoch, epoch);
  }
}

/** Returns the quantile of sorted numbers; NaN for an empty list. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted.length === 0 ? NaN : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
