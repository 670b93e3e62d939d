import { LaterDialog } from '../app/boundary.tsx';
import { later } from '../app/later.ts';
import { useContents } from '../experiment/experiment-context.ts';
import { type HeadButtonProps, isNoted } from '../experiment/head-actions.ts';

const AboutDialog = later(() => import('./about-dialog.tsx'));

/** A button that opens the experiment's notes. */
export function AboutButton({ open, onOpen }: HeadButtonProps) {
  const { experiment } = useContents();
  return (
    <>
      <button type="button" className={`small ${isNoted(experiment) ? 'noted' : ''}`} onClick={() => onOpen(true)}>
        Notes
      </button>
      {open && (
        <LaterDialog title="Notes" onClose={() => onOpen(false)}>
          <AboutDialog onClose={() => onOpen(false)} />
        </LaterDialog>
      )}
    </>
  );
}
