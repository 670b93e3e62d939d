import { type KeyboardEvent, useState } from 'react';
import { parseReportBlock, reportBlock } from '#charts';
import { usePage } from '../app/page-context.ts';

/** Adds a view by its address, as copied from the browser or from the menu of a chart. */
export function AddView({ onAdd }: { readonly onAdd: (block: string) => void }) {
  const { base } = usePage();
  const [address, setAddress] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const add = (): void => {
    if (address.trim() === '') return;
    const block = parseReportBlock(address, { origin: location.origin, base });
    if ('fault' in block) return setFault(block.fault);
    onAdd(reportBlock(shortened(address.trim())));
    setAddress('');
    setFault(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault(); // does not save the report
    add();
  };
  return (
    <div className="field">
      <label htmlFor="view-address">Add view</label>
      <div className="add-view">
        <input
          id="view-address"
          className="text-field"
          type="text"
          autoComplete="off"
          spellCheck={false}
          placeholder="The address of an experiment, a chart, a table or an image"
          aria-describedby={fault === null ? undefined : 'view-fault'}
          value={address}
          onKeyDown={onKeyDown}
          onChange={({ target }) => setAddress(target.value)}
        />
        <button type="button" onClick={add}>
          Add
        </button>
      </div>
      {fault !== null && (
        <p className="bad" id="view-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

/** Without the origin of this service, so that a report works at another address of it. */
function shortened(address: string): string {
  return address.startsWith(`${location.origin}/`) ? address.slice(location.origin.length) : address;
}
