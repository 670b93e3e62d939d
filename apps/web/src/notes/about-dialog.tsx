import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { visibleText } from '#charts';
import type { ExperimentJson } from '../api/types.ts';
import { Dialog } from '../app/dialog.tsx';
import { useMay } from '../app/use-may.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { titleOf } from '../experiment/experiment-title-text.ts';
import type { Written } from './written.ts';
import { WrittenForm } from './written-form.tsx';
import { WrittenText } from './written-text.tsx';

/** Maximum characters, as in the service. */
const max = { name: 100, description: 600, notes: 20_000 } as const;

/** The experiment's notes, with a form in which members can edit them. */
export default function AboutDialog({ onClose }: { readonly onClose: () => void }) {
  const { api, id } = useWorld();
  const { experiment } = useContents();
  const client = useQueryClient();
  const mayChange = useMay()('experiment.update') && experiment.snapshot === null;
  const [editing, setEditing] = useState(false);
  const change = useMutation({
    mutationFn: (changes: Partial<Written> & { readonly archived?: boolean }) =>
      api.send<ExperimentJson>('PATCH', `/experiments/${id}`, changes),
    onSuccess: (changed) => {
      client.setQueryData(['experiment', id], changed);
      setEditing(false);
      return client.invalidateQueries({ queryKey: ['experiments'] });
    },
  });
  if (editing)
    return (
      <Dialog title="Edit" onClose={onClose}>
        <WrittenForm
          written={{
            name: experiment.name,
            description: experiment.description,
            labels: experiment.labels,
            notes: experiment.notes ?? '',
          }}
          max={max}
          error={change.error}
          busy={change.isPending}
          onSave={(changes) => change.mutate(changes)}
          onDone={() => setEditing(false)}
        />
      </Dialog>
    );
  return (
    <Dialog title={titleOf(experiment)} onClose={onClose}>
      {experiment.description !== '' && <p>{visibleText(experiment.description)}</p>}
      <WrittenText
        labels={experiment.labels}
        archived={experiment.archived}
        notes={experiment.notes}
        mayChange={mayChange}
        error={change.error}
        busy={change.isPending}
        onEdit={() => setEditing(true)}
        onArchive={(archived) => change.mutate({ archived })}
      />
    </Dialog>
  );
}
