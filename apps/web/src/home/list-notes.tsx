import { formatCount } from '#charts';
import { problemText } from '../api/problem.ts';
import type { ExperimentJson } from '../api/types.ts';
import type { Deleting } from '../app/use-deleting.ts';
import { titleOf } from '../experiment/experiment-title-text.ts';
import type { useArchivingExperiments } from './use-archiving-experiments.ts';

interface ListNotesProps {
  readonly deleting: Deleting<ExperimentJson>;
  readonly archiving: ReturnType<typeof useArchivingExperiments>;
}

/** The result of the last action, and an undo button. */
export function ListNotes({ deleting, archiving }: ListNotesProps) {
  const { pending, undo, error } = deleting;
  const { last } = archiving;
  const failed = error ?? (archiving.error && problemText(archiving.error));
  if (failed !== null)
    return (
      <p className="bad" role="alert">
        {failed}
      </p>
    );
  if (pending.length > 0)
    return (
      <p className="list-note" role="status">
        <span>Deleting {namesOf(pending)} in a few seconds.</span>
        <button type="button" onClick={undo}>
          Undo
        </button>
      </p>
    );
  if (last === null) return null;
  return (
    <p className="list-note" role="status">
      <span>
        {last.archived ? 'Archived' : 'Unarchived'} {namesOf(last.experiments)}.
      </span>
      <button type="button" disabled={archiving.busy} onClick={() => archiving.archive({ ...last, archived: !last.archived })}>
        Undo
      </button>
    </p>
  );
}

function namesOf(experiments: readonly ExperimentJson[]): string {
  const [first] = experiments;
  return experiments.length === 1 ? `“${titleOf(first!)}”` : `${formatCount(experiments.length)} experiments`;
}
