import { lazy, Suspense, useState } from 'react';
import { useMay } from '../app/use-may.ts';
import { useContents } from '../experiment/experiment-context.ts';

const AboutDialog = lazy(() => import('./about-dialog.tsx'));

/** Leads to what people have written about the experiment: for whoever may read it, where there is any, and for whoever may write it. */
export function AboutButton() {
  const { experiment } = useContents();
  const mayChange = useMay()('experiment.update') && experiment.snapshot === null;
  const [open, setOpen] = useState(false);
  const isNoted = experiment.notes !== null && experiment.notes !== '';
  if (!isNoted && !mayChange) return null;
  return (
    <>
      <button type="button" className={`small ${isNoted ? 'noted' : ''}`} onClick={() => setOpen(true)}>
        Notes
      </button>
      {open && (
        <Suspense fallback={null}>
          <AboutDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
