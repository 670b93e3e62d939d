import { useMemo, useState } from 'react';
import { countText, formatCount } from '#charts';
import { LaterDialog } from '../app/boundary.tsx';
import { later } from '../app/later.ts';
import { useMay } from '../app/use-may.ts';
import type { Deleting } from '../app/use-deleting.ts';
import { inAddress } from '../compare/compared-run.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { ArchiveNote } from '../runs/archive-choice.tsx';
import { useArchivable, useArchiving } from '../runs/use-archiving.ts';
import { useLabelingRuns } from './use-labeling-runs.ts';

const LabelsDialog = later(() => import('../notes/labels-dialog.tsx'));

interface SelectedRunsProps {
  readonly selected: ReadonlySet<string>;
  readonly total: number | undefined;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
  readonly deleting: Deleting<string>;
}

/** The number of runs, and the actions for the selected runs. */
export function SelectedRuns({ selected, total, onSelect, deleting }: SelectedRunsProps) {
  const { view } = useWorld();
  const { experiment, runs, compared } = useContents();
  const may = useMay();
  const [labeling, setLabeling] = useState(false);
  const saveLabels = useLabelingRuns();
  const archiving = useArchiving();
  const archivable = useArchivable(useMemo(() => runs.filter(({ run }) => selected.has(run)), [runs, selected]));
  const count =
    total === undefined || total === runs.length
      ? countText(runs.length, 'run')
      : `${formatCount(total)} of ${countText(runs.length, 'run')}`;
  if (selected.size === 0)
    return (
      <>
        <span className="dim" role="status">
          {count}
        </span>
        {deleting.pending.length === 0 && deleting.error === null ? <ArchiveNote {...archiving} /> : <DeletingNote {...deleting} />}
      </>
    );
  const changeable = [...archivable.values()].flat();
  const mayDelete = experiment.snapshot === null && may('experiment.delete', experiment.owner?.id ?? null);
  const show = (): void =>
    changeView(view, { tab: 'scalars', onlyRuns: inAddress([...selected], compared), hiddenRuns: [], runFilter: '', where: [] });
  return (
    <>
      <span role="status">{formatCount(selected.size)} selected</span>
      <button type="button" onClick={show}>
        {selected.size === 1 ? 'Show charts' : 'Compare in charts'}
      </button>
      {[false, true].map((archived) => {
        const names = archivable.get(archived) ?? [];
        return names.length === 0 ? null : (
          <button
            key={String(archived)}
            type="button"
            disabled={archiving.busy}
            onClick={() => archiving.archive({ runs: names, archived: !archived })}
          >
            {archived ? 'Unarchive' : 'Archive'}
          </button>
        );
      })}
      {changeable.length > 0 && (
        <button type="button" onClick={() => setLabeling(true)}>
          Labels…
        </button>
      )}
      {mayDelete && compared.length === 0 && (
        <button
          type="button"
          className="bad"
          onClick={() => {
            deleting.remove([...selected]);
            onSelect(new Set());
          }}
        >
          Delete
        </button>
      )}
      <button type="button" className="quiet" onClick={() => onSelect(new Set())}>
        Clear
      </button>
      <ArchiveNote {...archiving} />
      {labeling && (
        <LaterDialog title="Labels" onClose={() => setLabeling(false)}>
          <LabelsDialog
            labeled={runs.filter(({ run }) => changeable.includes(run))}
            plural="runs"
            save={(labelsOf) =>
              saveLabels(
                runs.filter(({ run }) => changeable.includes(run)),
                labelsOf,
              )
            }
            onClose={() => setLabeling(false)}
          />
        </LaterDialog>
      )}
    </>
  );
}

/** The pending deletion with an undo button, or the deletion's error. */
function DeletingNote({ pending, error, undo }: Deleting<string>) {
  if (error !== null)
    return (
      <p className="bad archive-note" role="alert">
        {error}
      </p>
    );
  return (
    <p className="archive-note" role="status">
      Deleting {formatCount(pending.length)} {pending.length === 1 ? 'run' : 'runs'} in a few seconds.
      <button type="button" className="quiet" onClick={undo}>
        Undo
      </button>
    </p>
  );
}
