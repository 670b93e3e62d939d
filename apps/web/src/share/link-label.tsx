interface LinkLabelProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The field for the name of a new link. */
export function LinkLabel({ value, onChange }: LinkLabelProps) {
  return (
    <label className="field">
      Label
      <input
        className="text-field"
        type="text"
        maxLength={100}
        autoComplete="off"
        placeholder="Only your team sees it"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}
