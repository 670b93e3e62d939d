import { visibleText } from '#charts';

/** Labels, read-only. */
export function Labels({ labels, archived = false }: { readonly labels: readonly string[]; readonly archived?: boolean }) {
  return (
    <>
      {archived && <span className="label archived">archived</span>}
      {labels.map((label) => (
        <span key={label} className="label">
          {visibleText(label)}
        </span>
      ))}
    </>
  );
}
