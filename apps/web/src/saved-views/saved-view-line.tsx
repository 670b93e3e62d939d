import { type SubmitEvent, useState } from 'react';
import { visibleText } from '#charts';
import type { SavedViewJson } from '../api/types.ts';
import { ConfirmButton } from '../app/confirm-button.tsx';
import { Icon } from '../app/icons.tsx';
import { usePage } from '../app/page-context.ts';

/** Maximum characters per name, as in the service. */
const maxLength = 100;

interface SavedViewLineProps {
  readonly saved: SavedViewJson;
  /** Whether the page shows exactly this view. */
  readonly isCurrent: boolean;
  readonly mayChange: boolean;
  readonly busy: boolean;
  readonly onOpen: () => void;
  readonly onChange: (to: Partial<Pick<SavedViewJson, 'name' | 'shared' | 'default'>>) => void;
  /** Replaces the saved view with the page's current view. */
  readonly onUpdate: () => void;
  readonly onDelete: () => void;
}

/** A saved view. Opens on a click, and shows its settings on request. */
export function SavedViewLine({ saved, isCurrent, mayChange, busy, onOpen, onChange, onUpdate, onDelete }: SavedViewLineProps) {
  const { reader } = usePage();
  const [editing, setEditing] = useState(false);
  const [draft, setDraft] = useState(saved.name);
  const name = visibleText(saved.name);
  const rename = (event: SubmitEvent): void => {
    event.preventDefault();
    if (draft.trim() !== '' && draft.trim() !== saved.name) onChange({ name: draft.trim() });
    setEditing(false);
  };
  const mark = saved.default ? 'default' : saved.shared ? null : 'private';
  return (
    <li>
      <div className="saved-view">
        <button
          type="button"
          className="open-view"
          aria-current={isCurrent}
          title={saved.owner ? `${name}, saved by ${visibleText(saved.owner.name)}` : name}
          onClick={onOpen}
        >
          {isCurrent && <Icon name="check" />}
          <span className="cut">{name}</span>
          {mark !== null && <span className="label">{mark}</span>}
        </button>
        {mayChange && (
          <button
            type="button"
            className="small"
            aria-expanded={editing}
            aria-label={`Edit ${name}`}
            title="Edit"
            onClick={() => {
              setDraft(saved.name);
              setEditing(!editing);
            }}
          >
            <Icon name="settings" />
          </button>
        )}
      </div>
      {editing && (
        <form className="edit-view" aria-label={`Edit ${name}`} onSubmit={rename}>
          <div className="save-line">
            <input
              className="text-field"
              type="text"
              aria-label="View name"
              maxLength={maxLength}
              autoComplete="off"
              value={draft}
              onChange={({ target }) => setDraft(target.value)}
            />
            <button type="submit" className="small" disabled={busy || draft.trim() === ''}>
              Rename
            </button>
          </div>
          <label className="choice">
            <input
              type="checkbox"
              checked={saved.shared}
              disabled={busy || (saved.shared && saved.owner?.id !== reader?.id)}
              onChange={({ target }) => onChange({ shared: target.checked })}
            />
            Shared with the workspace
          </label>
          <label className="choice">
            <input
              type="checkbox"
              checked={saved.default}
              disabled={busy || !saved.shared}
              onChange={({ target }) => onChange({ default: target.checked })}
            />
            Default of this experiment
          </label>
          <div className="save-line">
            <button
              type="button"
              className="small"
              disabled={busy || isCurrent}
              title="Save the current view under this name"
              onClick={onUpdate}
            >
              Update
            </button>
            <ConfirmButton label={name} ask="Confirm deletion" disabled={busy} onConfirm={onDelete}>
              Delete
            </ConfirmButton>
          </div>
        </form>
      )}
    </li>
  );
}
