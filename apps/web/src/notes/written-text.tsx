import { Markdown } from '../data/text/markdown.tsx';
import { Labels } from './labels.tsx';

interface WrittenTextProps {
  readonly labels: readonly string[];
  readonly archived: boolean;
  /** Null: not told. */
  readonly notes: string | null;
}

/** Labels and notes, to be read. */
export function WrittenText({ labels, archived, notes }: WrittenTextProps) {
  return (
    <>
      {(labels.length > 0 || archived) && (
        <p className="label-line">
          <Labels labels={labels} archived={archived} />
        </p>
      )}
      {notes !== null && notes !== '' ? <Markdown text={notes} /> : <p className="dim">No notes yet.</p>}
    </>
  );
}
