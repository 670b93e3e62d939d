/** The runs and tags of an export, by name; absent: all. */
export interface ContentSelection {
  readonly runs?: readonly string[];
  readonly tags?: readonly string[];
}
