import { LaterDialog } from '../app/boundary.tsx';
import { later } from '../app/later.ts';
import type { HeadButtonProps } from '../experiment/head-actions.ts';

const ShareDialog = later(() => import('./share-dialog.tsx'));

/** A button that opens an experiment's links. */
export function ShareButton({ open, onOpen }: HeadButtonProps) {
  return (
    <>
      <button type="button" className="small" onClick={() => onOpen(true)}>
        Share
      </button>
      {open && (
        <LaterDialog title="Share" onClose={() => onOpen(false)}>
          <ShareDialog onClose={() => onOpen(false)} />
        </LaterDialog>
      )}
    </>
  );
}
