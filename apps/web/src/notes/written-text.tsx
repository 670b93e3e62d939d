import { problemText } from '../api/problem.ts';
import { Markdown } from '../data/text/markdown.tsx';
import { Labels } from './labels.tsx';

interface WrittenTextProps {
  readonly labels: readonly string[];
  readonly archived: boolean;
  /** Null if not available. */
  readonly notes: string | null;
  readonly mayChange: boolean;
  /** The error of the last change. */
  readonly error: Error | null;
  readonly busy: boolean;
  readonly onEdit: () => void;
  readonly onArchive: (archived: boolean) => void;
}

/** Labels and notes, read-only. Readers who may edit them get edit buttons. */
export function WrittenText({ labels, archived, notes, mayChange, error, busy, onEdit, onArchive }: WrittenTextProps) {
  return (
    <>
      {(labels.length > 0 || archived) && (
        <p className="label-line">
          <Labels labels={labels} archived={archived} />
        </p>
      )}
      {notes !== null && notes !== '' ? <Markdown text={notes} /> : <p className="dim">No notes yet.</p>}
      {error && <p className="bad">{problemText(error)}</p>}
      {mayChange && (
        <div className="buttons">
          <button type="button" onClick={onEdit}>
            Edit
          </button>
          <button type="button" disabled={busy} onClick={() => onArchive(!archived)}>
            {archived ? 'Unarchive' : 'Archive'}
          </button>
        </div>
      )}
    </>
  );
}
