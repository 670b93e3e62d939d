import type { KeyboardEvent } from 'react';
import { visibleText } from '#charts';

interface LabelEditorProps {
  readonly labels: readonly string[];
  /** A label that the reader is typing. */
  readonly typed: string;
  readonly onTyped: (text: string) => void;
  readonly onChange: (labels: readonly string[]) => void;
}

/**
 * Labels, each with a remove button, and a field that adds more. Enter or a comma completes a
 * label.
 */
export function LabelEditor({ labels, typed, onTyped, onChange }: LabelEditorProps) {
  const add = (text: string): void => {
    const label = text.trim();
    if (label !== '' && !labels.includes(label)) onChange([...labels, label]);
    onTyped('');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Backspace' && typed === '') return onChange(labels.slice(0, -1));
    if (event.key !== 'Enter' && event.key !== ',') return;
    event.preventDefault();
    add(typed);
  };
  return (
    <div className="field">
      <span>Labels</span>
      <div className="label-editor">
        {labels.map((label) => (
          <button
            key={label}
            type="button"
            className="label"
            aria-label={`Remove the label ${visibleText(label)}`}
            onClick={() => onChange(labels.filter((one) => one !== label))}
          >
            {visibleText(label)} ×
          </button>
        ))}
        <input
          type="text"
          maxLength={100}
          autoComplete="off"
          aria-label="New label"
          placeholder={labels.length === 0 ? 'Add a label' : ''}
          value={typed}
          onKeyDown={onKeyDown}
          onBlur={() => add(typed)}
          onChange={({ target }) => onTyped(target.value)}
        />
      </div>
    </div>
  );
}
