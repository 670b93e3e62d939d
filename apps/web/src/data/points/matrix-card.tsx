import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { formatCount, visibleText } from '#charts';
import { runText } from '../../compare/compared-run.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { RunCaption } from '../run-caption.tsx';
import { StateNote } from '../state-note.tsx';
import { StepSlider } from '../step-slider.tsx';
import { indexAt } from '../values.ts';
import { readMatrix, reasonAgainst } from './matrix.ts';
import { projectRows } from './pca.ts';
import { RowPoints } from './row-points.tsx';
import { useSteppedTensors } from './stepped-tensors.ts';

interface MatrixCardProps {
  readonly run: string;
  readonly tag: string;
  /** Empty if there is none. */
  readonly plugin: string;
}

/**
 * A matrix at one step, with its rows as points in the plane of their first two principal
 * components.
 */
export function MatrixCard({ run, tag, plugin }: MatrixCardProps) {
  const { id } = useWorld();
  const step = useView((view) => view.step);
  const { found: all, error, retry } = useSteppedTensors({ run, tags: [tag], plugin });
  const found = all?.[0];
  const steps = (found?.steps ?? []).map(Number);
  const index = indexAt(steps, step);
  const tensor = found?.tensors[index];
  const reason = tensor ? reasonAgainst(tensor) : null;
  const { data: projection } = useQuery({
    queryKey: ['projection', id, plugin, tag, run, found?.steps[index]],
    queryFn: async () => {
      const matrix = readMatrix(tensor!);
      return matrix && (await projectRows(matrix, nextTask));
    },
    enabled: tensor !== undefined && reason === null,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  return (
    <article className="matrix" aria-label={`${visibleText(tag)}, ${runText(run)}`}>
      <header>
        <RunCaption run={run}>{tensor && `${tensor.dtype} ${tensor.shape.map((size) => formatCount(size)).join(' × ')}`}</RunCaption>
        {found && <StepSlider steps={steps} label={visibleText(tag)} />}
      </header>
      <StateNote pending={found === undefined} error={error} empty={found?.tensors.length === 0} retry={retry} />
      {reason !== null && <p className="dim">{reason}</p>}
      {reason === null && tensor && projection === undefined && <p className="matrix-wait" aria-busy="true" />}
      {reason === null && projection === null && <p className="dim">The tensor cannot be read.</p>}
      {reason === null && projection && <RowPoints projection={projection} run={run} />}
      {found && found.tensors.length > 0 && found.total > steps.length && (
        <p className="dim">
          {formatCount(steps.length)} of {formatCount(found.total)} steps
        </p>
      )}
    </article>
  );
}

/** Lets the page respond before the next part of a long computation starts. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
