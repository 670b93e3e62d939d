import { changeView } from '../../experiment/change-view.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { asParallel, asScatter, firstAxes } from '../parallel/parallel-columns.ts';
import type { RunColumn } from '../table-columns.ts';

interface PlotKindProps {
  readonly all: readonly RunColumn[];
  /** The columns of the table. */
  readonly shown: readonly RunColumn[];
}

/** A choice of the kind of plot. */
export function PlotKind({ all, shown }: PlotKindProps) {
  const { view } = useWorld();
  const isParallel = useView(({ plotAxes }) => plotAxes.length > 0);
  const choose = (kind: string): void => changeView(view, kind === 'scatter' ? asScatter(view.value) : asParallel(view.value, all, shown));
  return (
    <select aria-label="Kind of plot" value={isParallel ? 'parallel' : 'scatter'} onChange={({ target }) => choose(target.value)}>
      <option value="scatter">Scatter plot</option>
      <option value="parallel" disabled={!isParallel && firstAxes(all, shown).length < 2}>
        Parallel coordinates
      </option>
    </select>
  );
}
