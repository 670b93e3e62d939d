/** Scalar points of one series, in the order in which they were logged. */
export interface ImportedScalars {
  readonly run: string;
  readonly tag: string;
  /** Which of the processes that logged the run at the same time. */
  readonly writer: number;
  readonly steps: BigInt64Array;
  readonly wallTimes: Float64Array;
  readonly values: Float64Array;
}

/** A hyperparameter. */
export type ConfigValue = number | string | boolean;

/** Where a reader of another tool's files puts what it finds. */
export interface ImportSink {
  scalars(points: ImportedScalars): Promise<void>;
  text(run: string, tag: string, at: { readonly step: bigint; readonly wallTime: number }, text: string): Promise<void>;
  /** The configuration of a run; once. `startTime`: in seconds, 0 if unknown. */
  config(run: string, config: Readonly<Record<string, ConfigValue>>, startTime: number): Promise<void>;
  /** How a run ended. */
  end(run: string, status: 'success' | 'failure', endTime: number): Promise<void>;
  /** Something that event files cannot hold: `what` it is, and why. */
  skip(what: string, why: string, count?: number): void;
}

/** A flat configuration: names of nested values are joined by dots, lists are JSON. */
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
