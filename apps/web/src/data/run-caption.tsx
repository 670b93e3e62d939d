import type { ReactNode } from 'react';
import { useContents } from '../experiment/experiment-context.ts';
import { RunName } from '../runs/run-name.tsx';

/** Which run something is of, and what else there is to say of it. */
export function RunCaption({ run, children }: { readonly run: string; readonly children?: ReactNode }) {
  const { styles } = useContents();
  const { color = 0, dash = 0 } = styles.get(run) ?? {};
  return (
    <span className="run-caption">
      <i className={`swatch c${color} d${dash}`} />
      <RunName run={run} />
      {children !== undefined && <span className="dim">{children}</span>}
    </span>
  );
}
