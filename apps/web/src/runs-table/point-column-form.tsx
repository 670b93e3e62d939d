import { type SubmitEvent, useId, useState } from 'react';
import { visibleText } from '#charts';
import { pointColumn, readStep } from './point-columns.ts';

/** Maximum number of tags that a field suggests. */
const maxSuggested = 50;

interface FormProps {
  /** Scalar tags, the most informative first. */
  readonly tags: readonly string[];
  /** Adds the column with this key. */
  readonly onAdd: (key: string) => void;
  readonly onCancel: () => void;
}

/** A form that adds a column with values at a step, or at the best step of another metric. */
export function PointColumnForm({ tags, onAdd, onCancel }: FormProps) {
  const [metric, setMetric] = useState(visibleText(tags[0] ?? ''));
  const [at, setAt] = useState<'step' | 'min' | 'max'>('step');
  const [step, setStep] = useState('');
  const [other, setOther] = useState(visibleText(tags[0] ?? ''));
  const [tag, otherTag, place] = [tagNamed(tags, metric), tagNamed(tags, other), readStep(step)];
  const key =
    tag === undefined
      ? null
      : at === 'step'
        ? place !== null && pointColumn(tag, { step: place }).key
        : otherTag !== undefined && pointColumn(tag, { extreme: at, tag: otherTag }).key;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (typeof key === 'string') onAdd(key);
  };
  return (
    <form className="menu-form" onSubmit={submit}>
      <TagField label="Value of" tags={tags} text={metric} isKnown={tag !== undefined} onText={setMetric} autoFocus />
      <label>
        At
        <select aria-label="At" value={at} onChange={({ target }) => setAt(target.value as 'step' | 'min' | 'max')}>
          <option value="step">a step</option>
          <option value="min">the minimum of a metric</option>
          <option value="max">the maximum of a metric</option>
        </select>
      </label>
      {at === 'step' ? (
        <label>
          Step
          <input
            className={`text-field${step.trim() !== '' && place === null ? ' invalid' : ''}`}
            type="text"
            inputMode="numeric"
            autoComplete="off"
            placeholder="1000"
            value={step}
            onChange={({ target }) => setStep(target.value)}
          />
        </label>
      ) : (
        <TagField
          label={at === 'min' ? 'Smallest value of' : 'Largest value of'}
          tags={tags}
          text={other}
          isKnown={otherTag !== undefined}
          onText={setOther}
        />
      )}
      <p className="dim">If nothing was logged at this step, the last value before it is used.</p>
      <button type="submit" className="primary" disabled={typeof key !== 'string'}>
        Add column
      </button>
      <button type="button" className="quiet" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}

interface TagFieldProps {
  readonly label: string;
  readonly tags: readonly string[];
  readonly text: string;
  readonly isKnown: boolean;
  readonly onText: (text: string) => void;
  readonly autoFocus?: boolean;
}

/** A field for a tag name. It suggests tags that contain the text. */
function TagField({ label, tags, text, isKnown, onText, autoFocus = false }: TagFieldProps) {
  const id = useId();
  const wanted = text.trim().toLowerCase();
  const names = tags.map((tag) => visibleText(tag));
  // After a tag is chosen, the field suggests all tags again
  const found = isKnown ? names : names.filter((name) => name.toLowerCase().includes(wanted));
  return (
    <label>
      {label}
      <input
        className={`text-field${isKnown || text === '' ? '' : ' invalid'}`}
        type="text"
        autoComplete="off"
        spellCheck={false}
        list={id}
        autoFocus={autoFocus}
        placeholder="val/accuracy"
        value={text}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => onText(target.value)}
      />
      <datalist id={id}>
        {found.slice(0, maxSuggested).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}

/** The tag with this display name. */
function tagNamed(tags: readonly string[], name: string): string | undefined {
  return tags.find((tag) => tag === name) ?? tags.find((tag) => visibleText(tag) === name);
}
