import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { parseView } from '#charts';
import { problemText } from '../api/problem.ts';
import type { SavedViewJson } from '../api/types.ts';
import { firstClickOnly } from '../app/first-click.ts';
import { useMay } from '../app/use-may.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { rememberedText } from '../experiment/remembered-text.ts';
import { CopyForReport } from '../reports/copy-for-report.tsx';
import { SavedViewLine } from './saved-view-line.tsx';

/** Maximum characters per name, as in the service. */
const maxNameLength = 100;

/** The request body. */
type Change =
  | { readonly save: { readonly name: string; readonly view: string; readonly shared: boolean } }
  | { readonly id: string; readonly to: Partial<Pick<SavedViewJson, 'name' | 'view' | 'shared' | 'default'>> }
  | { readonly remove: string };

/** An experiment's saved views, and a form that saves the current view. */
export default function SavedViews() {
  const { api, id, view } = useWorld();
  const { experiment } = useContents();
  const client = useQueryClient();
  const mayChange = useMay()('experiment.update') && experiment.snapshot === null;
  const current = useView(rememberedText);
  const list = useQuery({
    queryKey: ['views', id],
    queryFn: async ({ signal }) => (await api.get<{ views: readonly SavedViewJson[] }>(`/experiments/${id}/views`, signal)).views,
  });
  const change = useMutation({
    mutationFn: (asked: Change) =>
      'save' in asked
        ? api.send('POST', `/experiments/${id}/views`, asked.save)
        : 'remove' in asked
          ? api.send('DELETE', `/views/${asked.remove}`)
          : api.send('PATCH', `/views/${asked.id}`, asked.to),
    // Also after a failure, because someone else may have deleted the view
    onSettled: () =>
      Promise.all([['views', id], ['experiment', id], ['experiments']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  const views = list.data;
  const error = list.error ?? change.error;
  return (
    <div className="menu-form saved-views" aria-busy={list.isPending}>
      {views?.length === 0 && <p className="dim">No saved views yet.</p>}
      {views && views.length > 0 && (
        <ul>
          {views.map((one) => (
            <SavedViewLine
              key={one.id}
              saved={one}
              isCurrent={one.view === current}
              mayChange={mayChange}
              busy={change.isPending}
              onOpen={() => view.set(parseView(new URLSearchParams(one.view)))}
              onChange={(to) => change.mutate({ id: one.id, to })}
              onUpdate={() => change.mutate({ id: one.id, to: { view: current } })}
              onDelete={() => change.mutate({ remove: one.id })}
            />
          ))}
        </ul>
      )}
      <CopyForReport changes={{ card: null, also: [] }} />
      {error && (
        <p className="bad" role="alert">
          {problemText(error)}
        </p>
      )}
      {mayChange && (
        <SaveForm busy={change.isPending} onSave={(name, shared) => change.mutate({ save: { name, view: current, shared } })} />
      )}
      {!mayChange && experiment.snapshot !== null && <p className="dim">A snapshot has no saved views.</p>}
    </div>
  );
}

interface SaveFormProps {
  readonly busy: boolean;
  readonly onSave: (name: string, shared: boolean) => void;
}

function SaveForm({ busy, onSave }: SaveFormProps) {
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (name.trim() === '' || busy) return;
    onSave(name.trim(), shared);
    setName('');
  };
  return (
    <form onSubmit={submit} aria-label="Save the current view">
      <label>
        Save the current view as
        <input
          className="text-field"
          type="text"
          maxLength={maxNameLength}
          autoComplete="off"
          placeholder="Name"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <div className="save-line">
        <label className="choice">
          <input type="checkbox" checked={shared} onChange={({ target }) => setShared(target.checked)} />
          Share with the workspace
        </label>
        <button type="submit" className="primary" onClick={firstClickOnly} disabled={name.trim() === '' || busy}>
          Save
        </button>
      </div>
    </form>
  );
}
