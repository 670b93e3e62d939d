import { type ProbePhase, probePhases, type ProbeResult } from './probe-round.ts';

/** The metrics of `plotline probe`, in the Prometheus text format. */
export class ProbeMetrics {
  #up: 0 | 1 | null = null;
  #succeeded = 0;
  #lastSuccess: number | null = null;
  readonly #failed = new Map<ProbePhase, number>(probePhases.map((phase) => [phase, 0]));
  #seconds: ProbeResult['seconds'] = {};

  /** Counts a round that ended at `now`, in seconds since 1970. */
  add({ seconds, failed }: ProbeResult, now: number): void {
    this.#up = failed ? 0 : 1;
    this.#seconds = seconds;
    if (failed) this.#failed.set(failed.phase, this.#failed.get(failed.phase)! + 1);
    else {
      this.#succeeded++;
      this.#lastSuccess = now;
    }
  }

  get text(): string {
    const metric = (name: string, type: 'counter' | 'gauge', help: string, lines: readonly (readonly [string, number])[]): string =>
      lines.length === 0
        ? ''
        : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines.map(([labels, value]) => `${name}${labels} ${value}`), ''].join(
            '\n',
          );
    const failures = [...this.#failed].map(([phase, count]) => [`{phase="${phase}"}`, count] as const);
    const durations = Object.entries(this.#seconds).map(([phase, value]) => [`{phase="${phase}"}`, value] as const);
    return [
      metric('plotline_probe_up', 'gauge', 'Whether the last round succeeded.', this.#up === null ? [] : [['', this.#up]]),
      metric('plotline_probe_rounds_succeeded_total', 'counter', 'Rounds that succeeded.', [['', this.#succeeded]]),
      metric('plotline_probe_rounds_failed_total', 'counter', 'Rounds that failed, by the phase that failed.', failures),
      metric(
        'plotline_probe_last_success_timestamp_seconds',
        'gauge',
        'When the last successful round ended, in seconds since 1970.',
        this.#lastSuccess === null ? [] : [['', this.#lastSuccess]],
      ),
      metric('plotline_probe_phase_duration_seconds', 'gauge', 'Duration of each phase of the last round.', durations),
    ].join('');
  }
}
