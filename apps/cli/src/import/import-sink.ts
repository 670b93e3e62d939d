import type { RunName, SeriesName } from '#model';

/** Scalar points of one series, in the order in which they were logged. */
export interface ImportedScalars extends SeriesName {
  /** Identifies the process among those that logged the run at the same time. */
  readonly writer: number;
  readonly steps: BigInt64Array;
  readonly wallTimes: Float64Array;
  readonly values: Float64Array;
}

/** The run, step and wall time of a single point. `wallTime`: in seconds, 0 if unknown. */
export interface ImportedMoment {
  readonly run: RunName;
  readonly step: bigint;
  readonly wallTime: number;
}

/** Text that was logged as a value. */
export interface ImportedText extends ImportedMoment, SeriesName {
  readonly text: string;
}

/** A hyperparameter. */
export type ConfigValue = number | string | boolean;

/** Receives the data that a reader of another tool's files finds. */
export interface ImportSink {
  scalars(points: ImportedScalars): Promise<void>;
  text(value: ImportedText): Promise<void>;
  /** The configuration of a run; called once per run. `startTime`: in seconds, 0 if unknown. */
  config(run: RunName, config: Readonly<Record<string, ConfigValue>>, startTime: number): Promise<void>;
  /** How a run ended. */
  end(run: RunName, status: 'success' | 'failure', endTime: number): Promise<void>;
  /** Reports data that event files cannot hold: `what` it is, and why. */
  skip(what: string, why: string, count?: number): void;
}

/** A flat configuration: names of nested values are joined by dots, and lists become JSON. */
export function flatConfig(
  value: unknown,
  onSkip: (name: string) => void,
  name = '',
  into: Record<string, ConfigValue> = {},
): Record<string, ConfigValue> {
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') into[name] = value;
  else if (Array.isArray(value)) into[name] = JSON.stringify(value);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) flatConfig(inner, onSkip, name === '' ? key : `${name}.${key}`, into);
  else onSkip(name);
  return into;
}
