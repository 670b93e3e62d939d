import { useMemo } from 'react';
import { formatCount, visibleText } from '#charts';
import { changeView } from '../../experiment/change-view.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import type { Cell } from '../../runs/conditions.ts';
import { ColumnChoice } from '../scatter/column-choice.tsx';
import { canBePlotted, noPlot } from '../scatter/plot-columns.ts';
import { PlotFrame } from '../scatter/plot-frame.tsx';
import { type RankCorrelation, rankCorrelation } from '../scatter/scatter-stats.ts';
import { usePlotCells } from '../scatter/use-plot-cells.ts';
import type { RunColumn } from '../table-columns.ts';
import { minRuns } from './importance.ts';
import { ImportanceTable, type RatedColumn } from './importance-table.tsx';
import { type ImportanceInput, useImportance } from './use-importance.ts';

/** Maximum number of hyperparameters to rate; the first columns in the table are used. */
const maxRated = 100;
/** A forest that explains less than this fraction of the variance predicts almost nothing. */
const minExplained = 0.1;

interface ImportanceProps {
  /** All columns of the table. */
  readonly all: readonly RunColumn[];
  /** The columns that the table shows. */
  readonly shown: readonly RunColumn[];
  /** The tag with the last step that counts as a run's last step. */
  readonly step: string | null;
}

/**
 * How much each hyperparameter of the runs in the table matters for a metric, and in which
 * direction.
 */
export function ImportancePlot({ all, shown, step }: ImportanceProps) {
  const { view } = useWorld();
  const key = useView((one) => one.importance);
  const metrics = useMemo(() => all.filter((column) => canBeRated(column)), [all]);
  const metric = useMemo(() => metrics.find((one) => one.key === key) ?? null, [metrics, key]);
  const hparams = useMemo(() => all.filter(({ kind, constant }) => kind === 'hparam' && !constant).slice(0, maxRated), [all]);
  const columns = useMemo(() => [metric, ...hparams], [metric, hparams]);
  const { cells, waiting, error } = usePlotCells(columns, step);
  const sample = useMemo(() => sampleOf(hparams, cells), [hparams, cells]);
  const isEnough = sample !== null && sample.target.length >= minRuns && sample.columns.length > 0;
  const { result, progress } = useImportance(isEnough ? sample : null);
  const rated = useMemo(() => {
    if (!isEnough || result === null) return null;
    const found = sample.hparams.map((column, i): RatedColumn => ({
      column,
      score: result.scores[i]!,
      error: result.errors[i]!,
      correlation: correlationOf(sample.columns[i]!, sample.target),
    }));
    return found.toSorted((a, b) => b.score - a.score);
  }, [isEnough, sample, result]);
  const name = visibleText(metric?.name ?? key.replace(/^\w+:/, ''));
  return (
    <PlotFrame
      all={all}
      shown={shown}
      className="scatter importance"
      isBusy={waiting || (isEnough && result === null)}
      error={error}
      choices={
        <ColumnChoice
          name="For"
          label="Metric that the hyperparameters affect"
          columns={metrics}
          chosen={key}
          onChoose={(chosen) => changeView(view, { importance: chosen })}
        />
      }
    >
      {metric === null && <p className="dim">No run has {name}. Choose another metric.</p>}
      {sample && !isEnough && (
        <p className="dim">
          {sample.columns.length === 0
            ? 'No hyperparameters differ between these runs.'
            : `Importance needs at least ${minRuns} runs with a number for ${name}; ${formatCount(sample.target.length)} ${sample.target.length === 1 ? 'has' : 'have'} one.`}
        </p>
      )}
      {isEnough && rated === null && (
        <p className="dim">
          <progress value={progress} aria-label="Growing the forest" /> Growing a random forest of {formatCount(sample.target.length)} runs…
        </p>
      )}
      {rated && (
        <ImportanceTable
          rated={rated}
          onChoose={(column) => changeView(view, { ...noPlot, plotX: column.key, plotY: metric?.key ?? key, plotColor: '' })}
        />
      )}
      {rated && result && (
        <div className="scatter-foot dim">
          <p>
            {result.r2 < minExplained
              ? `The forest predicts ${name} poorly for runs outside its sample, so these bars are not reliable.`
              : `The forest explains ${Math.round(100 * result.r2)} % of the out-of-bag variance of ${name}.`}{' '}
            {formatCount(sample?.target.length ?? 0)} runs. Importance: how much the squared error grows when the values are shuffled, as a
            share of that variance. Lines: 95 % intervals. Hyperparameters that change together share their importance.
          </p>
        </div>
      )}
    </PlotFrame>
  );
}

/** Whether importance can be computed for a column. */
export function canBeRated(column: RunColumn): boolean {
  return canBePlotted(column) && (column.kind === 'metric' || column.kind === 'duration');
}

/**
 * The runs with a finite metric, and the hyperparameters that differ between these runs. Null while
 * values are missing.
 */
function sampleOf(
  hparams: readonly RunColumn[],
  [targets, ...cells]: readonly (readonly Cell[] | null)[],
): (ImportanceInput & { readonly hparams: readonly RunColumn[] }) | null {
  if (!targets || cells.some((one) => one === null)) return null;
  const rows = [...targets.keys()].filter((i) => Number.isFinite(targets[i]));
  const target = Float64Array.from(rows, (i) => Number(targets[i]));
  const kept = cells.map((column) => rows.map((i) => column![i]!));
  const differing = [...kept.keys()].filter((i) => kept[i]!.some((cell) => cell !== kept[i]![0]));
  return { hparams: differing.map((i) => hparams[i]!), columns: differing.map((i) => kept[i]!), target };
}

/** Returns null if any value is not a number. */
function correlationOf(column: readonly Cell[], target: Float64Array): RankCorrelation | null {
  const pairs = column.flatMap((cell, i) => (typeof cell === 'number' ? [[cell, target[i]!] as const] : []));
  const isNumeric = column.every((cell) => cell === null || typeof cell === 'number');
  return isNumeric ? rankCorrelation(pairs) : null;
}
