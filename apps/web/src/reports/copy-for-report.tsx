import { useState } from 'react';
import { addressOf, reportBlock, type View } from '#charts';
import { MenuNote } from '../app/menu.tsx';
import { usePage } from '../app/page-context.ts';
import { useMay } from '../app/use-may.ts';
import { useWorld } from '../experiment/experiment-context.ts';

/** Copies a view as a report block. `changes`: how it differs from the page's view. */
export function CopyForReport({ changes }: { readonly changes: Partial<View> }) {
  const { base } = usePage();
  const { id, view } = useWorld();
  const mayWrite = useMay()('report.write');
  const [state, setState] = useState<string | null>(null);
  if (!mayWrite) return null;
  const copy = async (): Promise<void> => {
    const block = reportBlock(`${base}/e/${id}${addressOf({ ...view.value, embed: false, ...changes })}`);
    try {
      await navigator.clipboard.writeText(block); // missing without HTTPS, and users may deny it
      setState('Copied. Paste it into a report.');
    } catch {
      setState('This browser does not allow copying. Copy the address of this page instead.');
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        Copy for a report
      </button>
      <MenuNote state={state} />
    </>
  );
}
