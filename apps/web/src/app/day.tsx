/** The day of a time, with the exact time in the tooltip. `none`: shown if there is none. */
export function Day({ of, none = '–' }: { readonly of: string | null; readonly none?: string }) {
  if (of === null) return <span className="dim">{none}</span>;
  return (
    <time dateTime={of} title={of}>
      {of.slice(0, 10)}
    </time>
  );
}
