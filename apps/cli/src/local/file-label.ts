/** An event file for display: `run/name`. The run `.`, the log directory itself, is omitted. */
export function fileLabel({ run, name }: { readonly run: string; readonly name: string }): string {
  return run === '.' ? name : `${run}/${name}`;
}
