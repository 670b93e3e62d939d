import { type SubmitEvent, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { LabelEditor } from './label-editor.tsx';
import { useUnsaved } from './use-unsaved.ts';
import { changesOf, type Written } from './written.ts';

interface WrittenFormProps {
  /**
   * The values when the form opens. Name and description can be edited only if they are present.
   */
  readonly written: Written;
  /** Maximum characters, as in the service. */
  readonly max: { readonly name?: number; readonly description?: number; readonly notes: number };
  readonly error: Error | null;
  readonly busy: boolean;
  /** Called with the changed fields. */
  readonly onSave: (changes: Partial<Written>) => void;
  /** Called if there is nothing to save. */
  readonly onDone: () => void;
}

/**
 * A form for labels and notes, and for the name and description if they are present. Asks for
 * confirmation before unsaved input is discarded.
 */
export function WrittenForm({ written, max, error, busy, onSave, onDone }: WrittenFormProps) {
  const [before] = useState(written);
  const [now, setNow] = useState(written);
  const [label, setLabel] = useState('');
  const changes = changesOf(before, now);
  const isChanged = Object.keys(changes).length > 0;
  const unsaved = useUnsaved(isChanged || label.trim() !== '');
  const set = (change: Partial<Written>): void => setNow((all) => ({ ...all, ...change }));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (busy) return;
    if (isChanged) onSave(changes);
    else onDone();
  };
  return (
    <form className="written" onSubmit={submit}>
      {now.name !== undefined && <TextField label="Name" max={max.name} value={now.name} onChange={(name) => set({ name })} />}
      {now.description !== undefined && (
        <TextField
          label="One-line description"
          max={max.description}
          value={now.description}
          onChange={(description) => set({ description })}
        />
      )}
      <LabelEditor labels={now.labels} typed={label} onTyped={setLabel} onChange={(labels) => set({ labels })} />
      <label className="field">
        Notes, in Markdown
        <textarea value={now.notes} maxLength={max.notes} onChange={({ target }) => set({ notes: target.value })} />
      </label>
      {error && (
        <p className="bad" role="alert">
          {problemText(error)}
        </p>
      )}
      {unsaved.leaving && (
        <div className="buttons unsaved" role="alertdialog" aria-label="You have unsaved changes">
          <span>You have unsaved changes.</span>
          <button type="button" autoFocus onClick={unsaved.leaving.stay}>
            Keep editing
          </button>
          <button type="button" onClick={unsaved.leaving.leave}>
            Discard
          </button>
        </div>
      )}
      <div className="buttons">
        <button type="submit" className="primary" disabled={busy}>
          Save
        </button>
        <button type="button" onClick={() => unsaved.before(onDone)}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface TextFieldProps {
  readonly label: string;
  /** Maximum characters, as in the service. */
  readonly max: number | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TextField({ label, max, value, onChange }: TextFieldProps) {
  return (
    <label className="field">
      {label}
      <input className="text-field" type="text" maxLength={max} value={value} onChange={({ target }) => onChange(target.value)} />
    </label>
  );
}
