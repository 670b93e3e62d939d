import { useContext } from 'react';
import { formatCount, maxCompared } from '#charts';
import type { ExperimentJson } from '../api/types.ts';
import { NavContext } from '../app/nav-link.tsx';
import { useMay } from '../app/use-may.ts';
import type { RowActions } from './row-menu.tsx';

interface SelectedProps extends RowActions {
  /** In the order of the list. */
  readonly experiments: readonly ExperimentJson[];
  readonly onClear: () => void;
}

/** Actions on all selected experiments. */
export function SelectedExperiments({ experiments, onChange, onArchive, onDelete, onClear }: SelectedProps) {
  const may = useMay();
  const go = useContext(NavContext);
  const [first, ...others] = experiments;
  if (!first) return null;
  const mayAll = (action: 'experiment.update' | 'experiment.delete'): boolean =>
    experiments.every(({ owner, snapshot }) => may(action, owner?.id ?? null) && (action === 'experiment.delete' || snapshot === null));
  const allArchived = experiments.every(({ archived }) => archived);
  const compared = new URLSearchParams(others.map(({ id }) => ['compare', id]));
  return (
    <section className="selected-bar" aria-label="Selected experiments">
      <span role="status">{formatCount(experiments.length)} selected</span>
      {others.length > 0 && (
        <button
          type="button"
          disabled={others.length > maxCompared}
          title={others.length > maxCompared ? `At most ${maxCompared + 1} experiments can be compared` : undefined}
          onClick={() => go?.(`/e/${first.id}?${compared}`)}
        >
          Compare
        </button>
      )}
      {mayAll('experiment.update') && (
        <>
          <button type="button" onClick={() => onChange('label', experiments)}>
            Labels…
          </button>
          <button type="button" onClick={() => onArchive(experiments, !allArchived)}>
            {allArchived ? 'Unarchive' : 'Archive'}
          </button>
        </>
      )}
      {mayAll('experiment.delete') && (
        <button type="button" className="bad" onClick={() => onDelete(experiments)}>
          Delete
        </button>
      )}
      <button type="button" className="quiet" onClick={onClear}>
        Clear
      </button>
    </section>
  );
}
