import type { ReactNode } from 'react';
import type { RunStyle } from '#charts';
import { useContents } from '../experiment/experiment-context.ts';
import { RunName } from '../runs/run-name.tsx';

interface RunCaptionProps {
  readonly run: string;
  /** Defaults to the run's caption. */
  readonly style?: RunStyle | undefined;
  readonly children?: ReactNode;
}

/** A panel's run, with further information. */
export function RunCaption({ run, style, children }: RunCaptionProps) {
  const { styles } = useContents();
  const { color = 0, dash = 0 } = style ?? styles.get(run) ?? {};
  return (
    <span className="run-caption">
      <i className={`swatch c${color} d${dash}`} />
      <RunName run={run} />
      {children !== undefined && <span className="dim">{children}</span>}
    </span>
  );
}
