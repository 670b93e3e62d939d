import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { Dialog } from '../app/dialog.tsx';
import { LabelEditor } from './label-editor.tsx';

interface Labeled {
  readonly labels: readonly string[];
}

interface LabelsDialogProps {
  readonly labeled: readonly Labeled[];
  /** A plural noun for the labeled objects, used if there are several, such as "runs". */
  readonly plural: string;
  /** `labelsOf`: returns the new labels of each object. */
  readonly save: (labelsOf: (one: Labeled) => string[]) => Promise<void>;
  readonly onClose: () => void;
}

/**
 * A dialog for the labels that several objects have in common. Each object keeps its other labels.
 */
export default function LabelsDialog({ labeled, plural, save, onClose }: LabelsDialogProps) {
  const [before] = useState(() => common(labeled));
  const [labels, setLabels] = useState<readonly string[]>(before);
  const [typed, setTyped] = useState('');
  const labelsOf = (one: Labeled): string[] => {
    const added = typed.trim() === '' ? labels : [...labels, typed.trim()];
    return [...new Set([...one.labels.filter((label) => !before.includes(label)), ...added])];
  };
  const change = useMutation({ mutationFn: () => save(labelsOf), onSuccess: onClose });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!change.isPending) change.mutate();
  };
  return (
    <Dialog title="Labels" onClose={onClose}>
      <form className="written" onSubmit={submit}>
        <LabelEditor labels={labels} typed={typed} onTyped={setTyped} onChange={setLabels} />
        {labeled.length > 1 && (
          <p className="dim">
            Labels of all {labeled.length} selected {plural}. Other labels are unchanged.
          </p>
        )}
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

/** The labels that all selected objects have. */
function common([first, ...others]: readonly Labeled[]): string[] {
  return (first?.labels ?? []).filter((label) => others.every(({ labels }) => labels.includes(label)));
}
