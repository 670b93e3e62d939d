import { useContext } from 'react';
import type { ExperimentJson } from '../api/types.ts';
import { experimentPath } from '../app/last-view.ts';
import { Menu } from '../app/menu.tsx';
import { NavContext } from '../app/nav-link.tsx';
import { usePage } from '../app/page-context.ts';
import { shareOnArrival } from '../app/pending-action.ts';
import { useMay } from '../app/use-may.ts';
import { titleOf } from '../experiment/experiment-title-text.ts';
import type { RowChange } from './change-experiment.tsx';

/** Actions on experiments in the list. */
export interface RowActions {
  readonly onChange: (what: RowChange, experiments: readonly ExperimentJson[]) => void;
  readonly onArchive: (experiments: readonly ExperimentJson[], archived: boolean) => void;
  readonly onDelete: (experiments: readonly ExperimentJson[]) => void;
}

/** A menu of actions for one experiment. Renders nothing if the reader may perform none of them. */
export function RowMenu({ experiment, onChange, onArchive, onDelete }: RowActions & { readonly experiment: ExperimentJson }) {
  const may = useMay();
  const go = useContext(NavContext);
  const { reader } = usePage();
  const { id, owner, archived, snapshot } = experiment;
  const ownerId = owner?.id ?? null;
  const mayChange = may('experiment.update', ownerId) && snapshot === null;
  const [mayShare, mayDelete] = [may('experiment.share', ownerId), may('experiment.delete', ownerId)];
  if (!mayChange && !mayShare && !mayDelete) return null;
  return (
    <Menu label={`Actions for ${titleOf(experiment)}`} icon="⋯" floating>
      {mayChange && (
        <>
          <button type="button" onClick={() => onChange('rename', [experiment])}>
            Rename…
          </button>
          <button type="button" onClick={() => onChange('label', [experiment])}>
            Labels…
          </button>
          <button type="button" onClick={() => onArchive([experiment], !archived)}>
            {archived ? 'Unarchive' : 'Archive'}
          </button>
        </>
      )}
      {mayShare && go && (
        <button
          type="button"
          onClick={() => {
            shareOnArrival(id);
            go(experimentPath(reader?.id, experiment));
          }}
        >
          Share…
        </button>
      )}
      {mayDelete && (
        <button type="button" className="bad" onClick={() => onDelete([experiment])}>
          Delete
        </button>
      )}
    </Menu>
  );
}
