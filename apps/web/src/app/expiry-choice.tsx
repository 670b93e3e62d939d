/** Days until expiry; null for never. */
export type Expiry = number | null;

const choices: readonly (readonly [string, Expiry])[] = [
  ['in 1 day', 1],
  ['in 7 days', 7],
  ['in 30 days', 30],
  ['in 90 days', 90],
  ['in 1 year', 365],
  ['never', null],
];

interface ExpiryChoiceProps {
  readonly value: Expiry;
  readonly onChange: (value: Expiry) => void;
  /** The longest choice. If absent, "never" is offered. */
  readonly max?: number;
}

/** Selects when something expires. */
export function ExpiryChoice({ value, onChange, max }: ExpiryChoiceProps) {
  const offered = choices.filter(([, days]) => max === undefined || (days !== null && days <= max));
  return (
    <label className="field">
      Expires
      <select value={String(value)} onChange={({ target }) => onChange(target.value === 'null' ? null : Number(target.value))}>
        {offered.map(([name, days]) => (
          <option key={name} value={String(days)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
