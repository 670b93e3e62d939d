import { LaterDialog } from '../app/boundary.tsx';
import { later } from '../app/later.ts';
import type { HeadButtonProps } from '../experiment/head-actions.ts';

const ExportDialog = later(() => import('./export-dialog.tsx'));

/** A button that opens the exports of an experiment. */
export function ExportButton({ open, onOpen }: HeadButtonProps) {
  return (
    <>
      <button type="button" className="small" onClick={() => onOpen(true)}>
        Export
      </button>
      {open && (
        <LaterDialog title="Export" onClose={() => onOpen(false)}>
          <ExportDialog onClose={() => onOpen(false)} />
        </LaterDialog>
      )}
    </>
  );
}
