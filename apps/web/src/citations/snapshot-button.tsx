import { LaterDialog } from '../app/boundary.tsx';
import { later } from '../app/later.ts';
import type { HeadButtonProps } from '../experiment/head-actions.ts';

const SnapshotDialog = later(() => import('./snapshot-dialog.tsx'));

/** Opens a form that copies the experiment and makes the copy citable. */
export function SnapshotButton({ open, onOpen }: HeadButtonProps) {
  return (
    <>
      <button type="button" className="small" onClick={() => onOpen(true)}>
        Snapshot
      </button>
      {open && (
        <LaterDialog title="Snapshot" onClose={() => onOpen(false)}>
          <SnapshotDialog onClose={() => onOpen(false)} />
        </LaterDialog>
      )}
    </>
  );
}
