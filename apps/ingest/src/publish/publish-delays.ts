/** What a publication reveals about delays. */
export interface Publication {
  /** The frontier that readers saw before, and the one that they see now. */
  readonly before: number;
  readonly epoch: number;
  /** The experiment's last acknowledgement at that time, if the publication read it. */
  readonly acknowledged?: { readonly epoch: number; readonly ageMs: number } | undefined;
}

interface Sample {
  readonly epoch: number;
  readonly acknowledgedAt: number;
}

/**
 * Maximum number of experiments with an unpublished sample. Beyond that, some experiments are not
 * measured.
 */
const maxWaiting = 10_000;

/**
 * Samples the time from acknowledgement to publication. Each publication reads which epoch was
 * acknowledged last, and when. The sample is complete when that epoch is published, now or later.
 * If another process publishes in between, the sample is discarded. `observe` is called with
 * seconds.
 */
export class PublishDelays {
  readonly #observe: (seconds: number) => void;
  readonly #now: () => number;
  readonly #waiting = new Map<string, Sample>();

  /** `now`: milliseconds on a monotonic clock. */
  constructor(observe: (seconds: number) => void, now: () => number = () => performance.now()) {
    this.#observe = observe;
    this.#now = now;
  }

  /** Call this after a publication of an experiment has committed. */
  note(experiment: string, { before, epoch, acknowledged }: Publication): void {
    const waiting = this.#waiting.get(experiment);
    if (waiting && waiting.epoch <= epoch) {
      this.#waiting.delete(experiment);
      if (waiting.epoch > before) this.#complete(waiting);
    }
    if (!acknowledged || acknowledged.epoch <= before || this.#waiting.has(experiment)) return;
    const sample = { epoch: acknowledged.epoch, acknowledgedAt: this.#now() - acknowledged.ageMs };
    if (sample.epoch <= epoch) {
      if (sample.epoch !== waiting?.epoch) this.#complete(sample);
    } else if (this.#waiting.size < maxWaiting) this.#waiting.set(experiment, sample);
  }

  #complete({ acknowledgedAt }: Sample): void {
    this.#observe(Math.max(0, this.#now() - acknowledgedAt) / 1_000);
  }
}
