import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { problemText } from '../api/problem.ts';
import type { ExperimentJson } from '../api/types.ts';
import { Dialog } from '../app/dialog.tsx';
import { firstClickOnly } from '../app/first-click.ts';
import { usePage } from '../app/page-context.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { titleOf } from '../experiment/experiment-title-text.ts';
import { ContentChoice, useCurrentSelection } from '../exports/content-choice.tsx';
import { type Citation, CitationFields, citationRequest } from './citation-fields.tsx';

/** Copies the experiment: the copy never changes, and papers can cite it. */
export default function SnapshotDialog({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<{ readonly id: string; readonly cited: boolean } | null>(null);
  return (
    <Dialog title="Snapshot" onClose={onClose}>
      <p>A snapshot is a permanent copy of this experiment. Later uploads and deletions do not change it.</p>
      {made ? <MadeSnapshot {...made} onDone={() => setMade(null)} /> : <NewSnapshot onMade={setMade} />}
    </Dialog>
  );
}

function NewSnapshot({ onMade }: { readonly onMade: (made: { readonly id: string; readonly cited: boolean }) => void }) {
  const { api, id } = useWorld();
  const { experiment } = useContents();
  const client = useQueryClient();
  const selection = useCurrentSelection();
  const [part, setPart] = useState(false);
  const [cited, setCited] = useState(true);
  const [citation, setCitation] = useState<Citation>({ title: titleOf(experiment), authors: '', license: '', published: '' });
  const make = useMutation({
    mutationFn: () =>
      api.send<ExperimentJson>('POST', `/experiments/${id}/snapshots`, {
        ...(part && selection.content),
        ...(cited && { citation: citationRequest(citation) }),
      }),
    onSuccess: (copy) => {
      onMade({ id: copy.id, cited });
      return client.invalidateQueries({ queryKey: ['experiments'] });
    },
  });
  const isReady = !cited || citation.title.trim() !== '';
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isReady && !make.isPending) make.mutate();
  };
  return (
    <form className="panel" aria-label="New snapshot" onSubmit={submit}>
      <ContentChoice selection={selection} part={part} onPart={setPart} />
      <label className="choice">
        <input type="checkbox" checked={cited} onChange={({ target }) => setCited(target.checked)} />
        Citable: adds a page, BibTeX and a content digest
      </label>
      {cited && <CitationFields citation={citation} onChange={setCitation} />}
      {make.error && (
        <p className="bad" role="alert">
          {problemText(make.error)}
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="primary" onClick={firstClickOnly} disabled={!isReady || make.isPending}>
          Create snapshot
        </button>
      </div>
    </form>
  );
}

function MadeSnapshot({ id, cited, onDone }: { readonly id: string; readonly cited: boolean; readonly onDone: () => void }) {
  const { base } = usePage();
  return (
    <section className="panel" aria-label="The new snapshot">
      <p role="status">Snapshot created. Only your workspace can open it until you share it.</p>
      <div className="buttons">
        {cited && (
          <a className="button primary" href={`${base}/e/${id}/citation`}>
            Show the citation
          </a>
        )}
        <a className="button" href={`${base}/e/${id}`}>
          Open the snapshot
        </a>
        <button type="button" onClick={onDone}>
          Create another
        </button>
      </div>
    </section>
  );
}
