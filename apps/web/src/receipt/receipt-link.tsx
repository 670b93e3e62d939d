import type { MouseEvent } from 'react';
import { useWorld } from '../experiment/experiment-context.ts';

/** Opens the receipt; in another tab, it is the JSON of the API. */
export function ReceiptLink({ onOpen }: { readonly onOpen: () => void }) {
  const { api, id } = useWorld();
  const show = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onOpen();
  };
  return (
    <a href={api.at(`/experiments/${id}/receipt`)} onClick={show}>
      Upload receipt
    </a>
  );
}
