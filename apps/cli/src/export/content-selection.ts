import type { RunName, TagName } from '#model';

/** The runs and tags of an export, by name; absent means all. */
export interface ContentSelection {
  readonly runs?: readonly RunName[];
  readonly tags?: readonly TagName[];
}
