import { useState } from 'react';

interface ConfirmButtonProps {
  readonly children: string;
  /** A short description of what the second click does. */
  readonly ask: string;
  /** The name for screen readers, which do not convey the button's context. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
}

/** A button for irreversible actions, which asks for confirmation in place. */
export function ConfirmButton({ children, ask, label, disabled = false, onConfirm }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  const press = (): void => {
    if (asking) onConfirm();
    setAsking(!asking);
  };
  return (
    <button
      type="button"
      className={`small ${asking ? 'danger' : ''}`}
      aria-label={asking ? `${ask} ${label}` : `${children} ${label}`}
      disabled={disabled}
      onClick={press}
      onBlur={() => setAsking(false)}
    >
      {asking ? ask : children}
    </button>
  );
}
