import type { ReactNode } from 'react';
import { problemText } from '../../api/problem.ts';
import { Icon } from '../../app/icons.tsx';
import { changeView } from '../../experiment/change-view.ts';
import { useWorld } from '../../experiment/experiment-context.ts';
import type { RunColumn } from '../table-columns.ts';
import { noPlot } from './plot-columns.ts';
import { PlotKind } from './plot-kind.tsx';

interface PlotFrameProps {
  /** All columns of the table. */
  readonly all: readonly RunColumn[];
  /** Columns that the table shows. */
  readonly shown: readonly RunColumn[];
  readonly className: string;
  readonly isBusy: boolean;
  /** Why the columns' values could not be loaded. */
  readonly error: Error | null;
  /** The plot's controls, between its type and the Close button. */
  readonly choices: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every run plot: a header with the controls, and an error if values are missing. */
export function PlotFrame({ all, shown, className, isBusy, error, choices, children }: PlotFrameProps) {
  const { view } = useWorld();
  return (
    <section className={className} aria-label="Run plot" aria-busy={isBusy}>
      <div className="scatter-head">
        <PlotKind all={all} shown={shown} />
        {choices}
        <button type="button" className="quiet close" aria-label="Close the plot" onClick={() => changeView(view, noPlot)}>
          <Icon name="close" />
        </button>
      </div>
      {error && (
        <p className="bad" role="alert">
          {problemText(error)}
        </p>
      )}
      {children}
    </section>
  );
}
