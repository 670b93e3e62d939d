import { type ReactNode, type SubmitEvent, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { LabelEditor } from './label-editor.tsx';

/** What people write about an experiment or a run. */
export interface Written {
  readonly labels: readonly string[];
  readonly notes: string;
}

interface WrittenFormProps {
  readonly written: Written;
  /** Of the notes, as the service has it. */
  readonly maxCharacters: number;
  readonly error: Error | null;
  readonly busy: boolean;
  readonly onSave: (written: Written) => void;
  readonly onCancel: () => void;
  /** What else there is to fill in. */
  readonly children?: ReactNode;
}

/** Changes labels and notes. */
export function WrittenForm({ written, maxCharacters, error, busy, onSave, onCancel, children }: WrittenFormProps) {
  const [labels, setLabels] = useState(written.labels);
  const [notes, setNotes] = useState(written.notes);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!busy) onSave({ labels, notes });
  };
  return (
    <form className="written" onSubmit={submit}>
      {children}
      <LabelEditor labels={labels} onChange={setLabels} />
      <label className="field">
        Notes, in Markdown
        <textarea value={notes} maxLength={maxCharacters} onChange={({ target }) => setNotes(target.value)} />
      </label>
      {error && (
        <p className="bad" role="alert">
          {problemText(error)}
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="main" disabled={busy}>
          Save
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
