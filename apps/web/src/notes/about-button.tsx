import { lazy, Suspense } from 'react';
import { useContents } from '../experiment/experiment-context.ts';
import { type HeadButtonProps, isNoted } from '../experiment/head-actions.ts';

const AboutDialog = lazy(() => import('./about-dialog.tsx'));

/** Leads to what people have written about the experiment. */
export function AboutButton({ open, onOpen }: HeadButtonProps) {
  const { experiment } = useContents();
  return (
    <>
      <button type="button" className={`small ${isNoted(experiment) ? 'noted' : ''}`} onClick={() => onOpen(true)}>
        Notes
      </button>
      {open && (
        <Suspense fallback={null}>
          <AboutDialog onClose={() => onOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
