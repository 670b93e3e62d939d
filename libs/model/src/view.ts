import type { RunName, SeriesName, TagName } from './names.ts';

/**
 * The part of an experiment that a visitor (with a link, or of a public experiment) may see.
 * Members have no view: they see everything.
 */
export interface View {
  /** These runs, by name; null for all. */
  readonly runs: readonly RunName[] | null;
  /** These tags; null for all. */
  readonly tags: readonly TagName[] | null;
  /** Whether names of people, the workspace, files and hosts are hidden, for blind review. */
  readonly anonymous: boolean;
  /** Whether the runs' logs are visible. If absent, they are not. */
  readonly logs?: boolean;
}

/**
 * Whether the view excludes runs or tags. If so, totals of the whole experiment must not be shown.
 */
export function isPart(view: View | null): boolean {
  return view !== null && (view.runs !== null || view.tags !== null);
}

/** The requested names that are among the allowed names. In either list, null means all. */
export function seenNames<Name extends string>(asked: readonly Name[] | null, allowed: readonly Name[] | null): readonly Name[] | null {
  if (allowed === null || asked === null) return asked ?? allowed;
  const seen = new Set(allowed);
  return asked.filter((name) => seen.has(name));
}

/** Whether a tag is visible. */
export function seesTag(view: View | null, tag: TagName): boolean {
  return !view?.tags || view.tags.includes(tag);
}

/** Whether a series is visible. */
export function seesSeries(view: View | null, { run, tag }: SeriesName): boolean {
  return seesTag(view, tag) && (!view?.runs || view.runs.includes(run));
}
