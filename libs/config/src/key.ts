import type { z } from 'zod';

/** One environment variable: how it is read, and what docs/configuration.md says of it. */
export interface Key<T> {
  /** With our prefix: `PLOTLINE_…`. */
  readonly name: string;
  /** From the text of the variable (undefined: not set, or empty) to the value; gives the default. */
  readonly schema: z.ZodType<T>;
  /** For people: `URL`, `whole number`, `folder` … */
  readonly type: string;
  /** For people; absent: not set. */
  readonly default?: string;
  readonly unit?: string;
  /** One sentence: what it does. */
  readonly about: string;
}

/** The variables of one concern, by the name of the property that holds the value. */
export type Concern = Readonly<Record<string, Key<unknown>>>;

/** The values of a {@link Concern}. */
export type ValuesOf<C extends Concern> = { readonly [P in keyof C]: C[P] extends Key<infer T> ? T : never };

/** Keeps the value's type in the key. */
export function key<T>(definition: Key<T>): Key<T> {
  return definition;
}
