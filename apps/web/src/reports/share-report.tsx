import { useState } from 'react';
import { LaterDialog } from '../app/boundary.tsx';
import { later } from '../app/later.ts';

const ShareReportDialog = later(() => import('./share-report-dialog.tsx'));

/** A button that opens the report's links. */
export function ShareReport({ id }: { readonly id: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Share
      </button>
      {open && (
        <LaterDialog title="Share" onClose={() => setOpen(false)}>
          <ShareReportDialog id={id} onClose={() => setOpen(false)} />
        </LaterDialog>
      )}
    </>
  );
}
