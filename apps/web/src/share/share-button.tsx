import { lazy, Suspense, useState } from 'react';
import { useMay } from '../app/use-may.ts';
import { useContents } from '../experiment/experiment-context.ts';

const ShareDialog = lazy(() => import('./share-dialog.tsx'));

/** Leads to the links of an experiment, for those who may make them. */
export function ShareButton() {
  const { experiment } = useContents();
  const may = useMay();
  const [open, setOpen] = useState(false);
  if (!may('experiment.share', experiment.owner?.id ?? null)) return null;
  return (
    <>
      <button type="button" className="small" onClick={() => setOpen(true)}>
        Share
      </button>
      {open && (
        <Suspense fallback={null}>
          <ShareDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
