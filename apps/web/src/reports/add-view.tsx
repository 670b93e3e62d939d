import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { parseReportBlock, reportBlock } from '#charts';
import type { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { ExperimentJson } from '../api/types.ts';
import { usePage } from '../app/page-context.ts';
import { useMay } from '../app/use-may.ts';

interface AddViewProps {
  readonly api: Api;
  readonly onAdd: (block: string) => void;
}

/** Adds a view by its URL, copied from the browser or with the chart menu. */
export function AddView({ api, onAdd }: AddViewProps) {
  const { base } = usePage();
  const [address, setAddress] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isFrozen, setFrozen] = useState(false);
  const mayFreeze = useMay()('experiment.snapshot');
  const done = (added: string): void => {
    onAdd(reportBlock(added));
    setAddress('');
    setFault(null);
  };
  const freeze = useMutation({
    mutationFn: ({ id }: { readonly id: string; readonly from: string }) =>
      api.send<ExperimentJson>('POST', `/experiments/${id}/snapshots`, {}),
    onSuccess: (copy, { id, from }) => done(from.replace(id, copy.id)), // the first id is the one in the path
    onError: (error) => setFault(problemText(error)),
  });
  const add = (): void => {
    if (address.trim() === '' || freeze.isPending) return;
    const block = parseReportBlock(address, { origin: location.origin, base });
    if ('fault' in block) return setFault(block.fault);
    const from = shortened(address.trim());
    if (isFrozen) freeze.mutate({ id: block.experimentId, from });
    else done(from);
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
          placeholder="Address of an experiment, chart, table or image"
          aria-describedby={fault === null ? undefined : 'view-fault'}
          value={address}
          onKeyDown={onKeyDown}
          onChange={({ target }) => setAddress(target.value)}
        />
        <button type="button" disabled={freeze.isPending} onClick={add}>
          Add
        </button>
      </div>
      {mayFreeze && (
        <label className="choice">
          <input type="checkbox" checked={isFrozen} onChange={({ target }) => setFrozen(target.checked)} />
          Freeze: take a snapshot of the experiment now
        </label>
      )}
      {fault !== null && (
        <p className="bad" id="view-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

/**
 * Omits this service's origin, so that a report still works when the service moves to another URL.
 */
function shortened(address: string): string {
  return address.startsWith(`${location.origin}/`) ? address.slice(location.origin.length) : address;
}
