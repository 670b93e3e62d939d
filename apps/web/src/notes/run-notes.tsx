import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunJson } from '../api/types.ts';
import { useMay } from '../app/use-may.ts';
import { homeOf } from '../compare/compared-run.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import type { Written } from './written.ts';
import { WrittenForm } from './written-form.tsx';
import { WrittenText } from './written-text.tsx';

/** Maximum characters, as in the service. */
const max = { notes: 2_000 } as const;

/**
 * The labels and notes of a run, which members can edit. A run of a compared experiment is changed
 * in its own experiment.
 */
export function RunNotes({ run }: { readonly run: RunJson }) {
  const { api, id } = useWorld();
  const { experiment, compared } = useContents();
  const client = useQueryClient();
  const home = homeOf(run.run, compared, id);
  const mayChange = useMay()('experiment.update') && (home.id !== id || experiment.snapshot === null);
  const [editing, setEditing] = useState(false);
  const change = useMutation({
    mutationFn: (changes: Partial<Written> & { readonly archived?: boolean }) =>
      api.send('PATCH', `/experiments/${home.id}/runs`, { runs: [home.run], ...changes }),
    onSuccess: () => {
      setEditing(false);
      return client.invalidateQueries({ queryKey: home.id === id ? ['runs', id] : ['compared', home.id] });
    },
  });
  return editing ? (
    <WrittenForm
      written={{ labels: run.labels, notes: run.notes ?? '' }}
      max={max}
      error={change.error}
      busy={change.isPending}
      onSave={(changes) => change.mutate(changes)}
      onDone={() => setEditing(false)}
    />
  ) : (
    <WrittenText
      labels={run.labels}
      archived={run.archived}
      notes={run.notes}
      mayChange={mayChange}
      error={change.error}
      busy={change.isPending}
      onEdit={() => setEditing(true)}
      onArchive={(archived) => change.mutate({ archived })}
    />
  );
}
