import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import type { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { ExperimentJson } from '../api/types.ts';
import { Dialog } from '../app/dialog.tsx';
import LabelsDialog from '../notes/labels-dialog.tsx';

/** Maximum characters per name, as in the service. */
const maxName = 100;

/** The properties of an experiment that a dialog can change. */
export type RowChange = 'rename' | 'label';

interface ChangeProps {
  readonly api: Api;
  readonly what: RowChange;
  /** A new name applies only to the first experiment. */
  readonly experiments: readonly ExperimentJson[];
  readonly onClose: () => void;
}

/** A dialog for the new name of an experiment, or for the labels of several. */
export default function ChangeExperiment({ api, what, experiments, onClose }: ChangeProps) {
  const client = useQueryClient();
  const changed = (): Promise<void> =>
    client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'experiments' || queryKey[0] === 'experiment' });
  if (what === 'rename') return <Rename api={api} experiment={experiments[0]!} onChanged={changed} onClose={onClose} />;
  return (
    <LabelsDialog
      labeled={experiments}
      plural="experiments"
      save={async (labelsOf) => {
        // Also after a failure, because some experiments may have been changed before it
        try {
          for (const one of experiments) await api.send('PATCH', `/experiments/${one.id}`, { labels: labelsOf(one) });
        } finally {
          void changed();
        }
      }}
      onClose={onClose}
    />
  );
}

interface RenameProps {
  readonly api: Api;
  readonly experiment: ExperimentJson;
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

function Rename({ api, experiment, onChanged, onClose }: RenameProps) {
  const [name, setName] = useState(experiment.name);
  const change = useMutation({
    mutationFn: () => api.send('PATCH', `/experiments/${experiment.id}`, { name: name.trim() }),
    onSuccess: () => {
      onClose();
      return onChanged();
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!change.isPending) change.mutate();
  };
  return (
    <Dialog title="Rename" onClose={onClose}>
      <form className="written" onSubmit={submit}>
        <label className="field">
          Name
          <input
            className="text-field"
            type="text"
            maxLength={maxName}
            autoFocus
            autoComplete="off"
            value={name}
            onFocus={({ target }) => target.select()}
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        {change.error && (
          <p className="bad" role="alert">
            {problemText(change.error)}
          </p>
        )}
        <div className="buttons">
          <button type="submit" className="primary" disabled={change.isPending}>
            Save
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
