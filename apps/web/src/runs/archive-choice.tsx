import { formatCount } from '#charts';
import { problemText } from '../api/problem.ts';
import { useContents } from '../experiment/experiment-context.ts';
import { type Archiving, useArchivable, type useArchiving } from './use-archiving.ts';

/** Renders a button that archives the shown runs, and a button that unarchives the archived runs. */
export function ArchiveChoice({ archive, busy }: Pick<ReturnType<typeof useArchiving>, 'archive' | 'busy'>) {
  const { runs, shown } = useContents();
  const archivable = useArchivable(runs.filter(({ run }) => shown.has(run)));
  return [false, true].map((archived) => {
    const names = archivable.get(archived) ?? [];
    if (names.length === 0) return null;
    return (
      <button key={String(archived)} type="button" disabled={busy} onClick={() => archive({ runs: names, archived: !archived })}>
        {archived ? `Unarchive ${count(names)}` : `Archive ${count(names)}`}
      </button>
    );
  });

  function count(names: readonly string[]): string {
    return `${formatCount(names.length)} shown ${names.length === 1 ? 'run' : 'runs'}`;
  }
}

/** The archived runs, and an undo button. */
export function ArchiveNote({ archive, busy, error, last }: ReturnType<typeof useArchiving>) {
  if (error)
    return (
      <p className="bad archive-note" role="alert">
        {problemText(error)}
      </p>
    );
  if (!last) return null;
  return (
    <p className="archive-note" role="status">
      {said(last)}
      <button type="button" className="quiet" disabled={busy} onClick={() => archive({ ...last, archived: !last.archived })}>
        Undo
      </button>
    </p>
  );
}

function said({ runs, archived }: Archiving): string {
  return `${formatCount(runs.length)} ${runs.length === 1 ? 'run' : 'runs'} ${archived ? 'archived' : 'unarchived'}`;
}
