/** A moment as its day, exact to the second for whoever points at it. `none`: what stands where there is none. */
export function Day({ of, none = '–' }: { readonly of: string | null; readonly none?: string }) {
  if (of === null) return <span className="dim">{none}</span>;
  return (
    <time dateTime={of} title={of}>
      {of.slice(0, 10)}
    </time>
  );
}
