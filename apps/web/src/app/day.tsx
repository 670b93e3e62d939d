/**
 * The day of a point in time, with the exact time in the tooltip. `none`: shown if there is no
 * time.
 */
export function Day({ of, none = '–' }: { readonly of: string | null; readonly none?: string }) {
  if (of === null) return <span className="dim">{none}</span>;
  return (
    <time dateTime={of} title={of}>
      {of.slice(0, 10)}
    </time>
  );
}
