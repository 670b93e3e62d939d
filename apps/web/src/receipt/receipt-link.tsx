import { type MouseEvent, useState } from 'react';
import { LaterDialog } from '../app/boundary.tsx';
import { later } from '../app/later.ts';
import { useWorld } from '../experiment/experiment-context.ts';

const ReceiptDialog = later(() => import('./receipt-dialog.tsx'));

/** Opens the receipt; in another tab, it is the JSON of the API. */
export function ReceiptLink() {
  const { api, id } = useWorld();
  const [open, setOpen] = useState(false);
  const show = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    setOpen(true);
  };
  return (
    <>
      <a href={api.at(`/experiments/${id}/receipt`)} onClick={show}>
        Upload receipt
      </a>
      {open && (
        <LaterDialog title="Upload receipt" onClose={() => setOpen(false)}>
          <ReceiptDialog onClose={() => setOpen(false)} />
        </LaterDialog>
      )}
    </>
  );
}
