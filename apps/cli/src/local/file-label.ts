import type { RunName } from '#model';

/** An event file for display: `run/name`. The run `.`, the log directory itself, is omitted. */
export function fileLabel({ run, name }: { readonly run: RunName; readonly name: string }): string {
  return run === '.' ? name : `${run}/${name}`;
}
