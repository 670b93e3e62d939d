/** An event file for people: `run/name`. The run `.`, the log directory itself, is left out. */
export function fileLabel({ run, name }: { readonly run: string; readonly name: string }): string {
  return run === '.' ? name : `${run}/${name}`;
}
