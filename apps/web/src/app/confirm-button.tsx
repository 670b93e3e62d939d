import { useState } from 'react';

interface ConfirmButtonProps {
  readonly children: string;
  /** What the second click does, in a few words. */
  readonly ask: string;
  /** For those who do not see what it stands beside. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
}

/** A button for what cannot be taken back: it asks once more, in its own place. */
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
