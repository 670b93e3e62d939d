declare const kind: unique symbol;

/**
 * A string that names one kind of thing. Any string is a valid name, so a name needs no guard and
 * no cast: a plain string becomes a name where a declaration requires one. After that, the compiler
 * rejects it as a name of another kind.
 */
type Name<Kind extends string> = string & { readonly [kind]?: Kind };

/** The name of a run: its folder below the log directory, or `.`. */
export type RunName = Name<'run'>;

/** The tag of a series, as the program logged it. */
export type TagName = Name<'tag'>;

/**
 * The run and the tag of a series. Functions that need both take them as one object, so that not
 * even plain strings can be swapped by position.
 */
export interface SeriesName {
  readonly run: RunName;
  readonly tag: TagName;
}
