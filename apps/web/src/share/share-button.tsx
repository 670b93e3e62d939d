import { lazy, Suspense } from 'react';
import type { HeadButtonProps } from '../experiment/head-actions.ts';

const ShareDialog = lazy(() => import('./share-dialog.tsx'));

/** Leads to the links of an experiment. */
export function ShareButton({ open, onOpen }: HeadButtonProps) {
  return (
    <>
      <button type="button" className="small" onClick={() => onOpen(true)}>
        Share
      </button>
      {open && (
        <Suspense fallback={null}>
          <ShareDialog onClose={() => onOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
