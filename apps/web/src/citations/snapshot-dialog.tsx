import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import { problemText } from '../api/problem.ts';
import type { ExperimentJson } from '../api/types.ts';
import { Dialog } from '../app/dialog.tsx';
import { firstClickOnly } from '../app/first-click.ts';
import { usePage } from '../app/page-context.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { titleOf } from '../experiment/experiment-title-text.ts';
import { ContentChoice, useCurrentSelection } from '../exports/content-choice.tsx';

/** Maximum characters, as in the service. */
const maxTitle = 300;
const maxLicense = 200;
const licenses = ['CC-BY-4.0', 'CC0-1.0', 'CC-BY-SA-4.0', 'CC-BY-NC-4.0', 'ODC-By-1.0', 'Apache-2.0', 'MIT'];

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
  const list = useId();
  const [part, setPart] = useState(false);
  const [cited, setCited] = useState(true);
  const [title, setTitle] = useState(titleOf(experiment));
  const [authors, setAuthors] = useState('');
  const [license, setLicense] = useState('');
  const [published, setPublished] = useState('');
  const names = authors
    .split('\n')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const make = useMutation({
    mutationFn: () =>
      api.send<ExperimentJson>('POST', `/experiments/${id}/snapshots`, {
        ...(part && selection.content),
        ...(cited && {
          citation: {
            title: title.trim(),
            authors: names,
            ...(license.trim() !== '' && { license: license.trim() }),
            ...(published !== '' && { published }),
          },
        }),
      }),
    onSuccess: (copy) => {
      onMade({ id: copy.id, cited });
      return client.invalidateQueries({ queryKey: ['experiments'] });
    },
  });
  const isReady = !cited || title.trim() !== '';
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isReady && !make.isPending) make.mutate();
  };
  return (
    <form className="panel" aria-label="New snapshot" onSubmit={submit}>
      <ContentChoice selection={selection} part={part} onPart={setPart} />
      <label className="choice">
        <input type="checkbox" checked={cited} onChange={({ target }) => setCited(target.checked)} />
        Citable: with a page, BibTeX and a digest of the content
      </label>
      {cited && (
        <>
          <label className="field">
            Title
            <input
              className="text-field"
              type="text"
              required
              maxLength={maxTitle}
              autoComplete="off"
              value={title}
              onChange={({ target }) => setTitle(target.value)}
            />
          </label>
          <label className="field">
            Authors, one per line
            <textarea
              className="authors"
              rows={3}
              autoComplete="off"
              placeholder={'Doe, Jane\nVision Lab'}
              value={authors}
              onChange={({ target }) => setAuthors(target.value)}
            />
          </label>
          <div className="fields">
            <label className="field">
              License
              <input
                className="text-field"
                type="text"
                list={list}
                maxLength={maxLicense}
                autoComplete="off"
                placeholder="SPDX identifier or text"
                value={license}
                onChange={({ target }) => setLicense(target.value)}
              />
              <datalist id={list}>
                {licenses.map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
            </label>
            <label className="field">
              Date
              <input
                className="text-field"
                type="date"
                min="1900-01-01"
                value={published}
                onChange={({ target }) => setPublished(target.value)}
              />
            </label>
          </div>
          <p className="dim">Title, authors, license and date cannot be changed later. Without a date, today is used.</p>
        </>
      )}
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
