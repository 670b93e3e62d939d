import type { z } from 'zod';

/** One environment variable: how it is parsed, and its entry in docs/configuration.md. */
export interface Key<T> {
  /** Including our prefix: `PLOTLINE_…`. */
  readonly name: string;
  /** Parses the text of the variable (undefined if not set or empty), and provides the default. */
  readonly schema: z.ZodType<T>;
  /** For the documentation: `URL`, `whole number`, `folder` … */
  readonly type: string;
  /** For the documentation; absent if not set. */
  readonly default?: string;
  readonly unit?: string;
  /** One sentence about the variable's effect. */
  readonly about: string;
}

/** The variables of one concern, by the property that holds the value. */
export type Concern = Readonly<Record<string, Key<unknown>>>;

/** The values of a {@link Concern}. */
export type ValuesOf<C extends Concern> = { readonly [P in keyof C]: C[P] extends Key<infer T> ? T : never };

/** Keeps the value's type in the key. */
export function key<T>(definition: Key<T>): Key<T> {
  return definition;
}
