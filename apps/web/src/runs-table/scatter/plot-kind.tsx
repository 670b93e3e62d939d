import { changeView } from '../../experiment/change-view.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { asImportance, asParallel, asScatter, firstAxes, kindOf } from '../parallel/parallel-columns.ts';
import type { RunColumn } from '../table-columns.ts';

interface PlotKindProps {
  readonly all: readonly RunColumn[];
  /** The table's columns. */
  readonly shown: readonly RunColumn[];
}

/** Selects the kind of plot. */
export function PlotKind({ all, shown }: PlotKindProps) {
  const { view } = useWorld();
  const kind = useView(kindOf);
  const choose = (wanted: string): void => {
    const change =
      wanted === 'scatter'
        ? asScatter(view.value, all, shown)
        : wanted === 'parallel'
          ? asParallel(view.value, all, shown)
          : asImportance(view.value, all, shown);
    if (change) changeView(view, change);
  };
  return (
    <select aria-label="Plot type" value={kind} onChange={({ target }) => choose(target.value)}>
      <option value="scatter">Scatter plot</option>
      <option value="parallel" disabled={kind !== 'parallel' && firstAxes(all, shown).length < 2}>
        Parallel coordinates
      </option>
      <option value="importance" disabled={kind !== 'importance' && asImportance(view.value, all, shown) === null}>
        Importance
      </option>
    </select>
  );
}
