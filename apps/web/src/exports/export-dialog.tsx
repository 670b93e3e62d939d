import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { problemText } from '../api/problem.ts';
import type { ExportJson } from '../api/types.ts';
import { Command } from '../app/command.tsx';
import { Dialog } from '../app/dialog.tsx';
import { firstClickOnly } from '../app/first-click.ts';
import { useWorld } from '../experiment/experiment-context.ts';
import { ContentChoice, useCurrentSelection } from './content-choice.tsx';
import { ExportList } from './export-list.tsx';

const formats: readonly (readonly [format: ExportJson['format'], about: string])[] = [
  ['parquet', 'Parquet: for pandas, Polars and DuckDB'],
  ['csv', 'CSV: for spreadsheets'],
  ['jsonl', 'JSON Lines: one object per point'],
  ['arrow', 'Arrow: an IPC stream'],
  ['events', 'Event files: all values, for TensorBoard'],
  ['raw', 'Event files as uploaded, byte for byte'],
];

/**
 * Exports that the service writes in the background: a form that starts a new export, and a list of
 * the stored exports.
 */
export default function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const { id } = useWorld();
  return (
    <Dialog title="Export" onClose={onClose}>
      <NewExport />
      <ExportList />
      <section aria-label="Command line">
        <h3>Command line</h3>
        <p className="dim">The CLI downloads all files of an export and verifies each one.</p>
        <Command text={`plotline export ${id} --format events --job`} />
      </section>
    </Dialog>
  );
}

function NewExport() {
  const { api, id } = useWorld();
  const client = useQueryClient();
  const [format, setFormat] = useState<ExportJson['format']>('parquet');
  // Event files as uploaded contain all of a run's tags
  const selection = useCurrentSelection(format === 'raw' ? 'runs' : 'tags');
  const isTable = format !== 'events' && format !== 'raw';
  const [part, setPart] = useState(false);
  const start = useMutation({
    mutationFn: () =>
      api.send<ExportJson>('POST', `/experiments/${id}/exports`, { format, ...(part && selection.isUsable && selection.content) }),
    onSettled: () => client.invalidateQueries({ queryKey: ['exports', id] }),
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!start.isPending) start.mutate();
  };
  return (
    <form className="panel" aria-label="New export" onSubmit={submit}>
      <h3>{isTable ? 'All scalar points as one table' : 'Scalars, images, audio, text and everything else'}</h3>
      <label className="field">
        Format
        <select className="wide-select" value={format} onChange={({ target }) => setFormat(target.value as ExportJson['format'])}>
          {formats.map(([value, about]) => (
            <option key={value} value={value}>
              {about}
            </option>
          ))}
        </select>
      </label>
      <ContentChoice selection={selection} part={part} onPart={setPart} />
      {start.error && (
        <p className="bad" role="alert">
          {problemText(start.error)}
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="primary" onClick={firstClickOnly} disabled={start.isPending}>
          Start export
        </button>
      </div>
    </form>
  );
}
