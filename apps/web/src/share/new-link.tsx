import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useMemo, useState } from 'react';
import { naturally, viewParameters } from '#charts';
import type { ShareLinkJson } from '../api/types.ts';
import { problemText } from '../api/problem.ts';
import { type Expiry, ExpiryChoice } from '../app/expiry-choice.tsx';
import { firstClickOnly } from '../app/first-click.ts';
import { namesIn } from '../compare/compared-run.ts';
import { scalarTags } from '../experiment/card-rows.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { useHasLogs } from '../logs/use-has-logs.ts';
import { NameChoice } from './name-choice.tsx';

/** A newly created link: its URL is returned only once. */
export type Made = Pick<ShareLinkJson, 'kind' | 'name'> & { readonly url: string };

/** The tags that hyperparameters come from (docs/api.md). */
const hparamTags = ['_hparams_/session_start_info', '_hparams_/session_end_info'];

/** A form for a link: its content, its audience, and its lifetime. */
export function NewLink({ onMade }: { readonly onMade: (made: Made) => void }) {
  const { api, id } = useWorld();
  const { runs, shown, tags } = useContents();
  const client = useQueryClient();
  const tagFilter = useView((view) => view.tagFilter);
  const current = useView((view) => viewParameters({ ...view, embed: false }).toString());
  const names = useMemo(
    () =>
      namesIn(
        '',
        runs.map(({ run }) => run),
      ),
    [runs],
  );
  const tagNames = useMemo(() => [...new Set(tags.map(({ tag }) => tag))].sort(naturally), [tags]);
  const hasHparams = runs.some(({ hparams }) => Object.keys(hparams).length > 0);
  const [name, setName] = useState('');
  const [chosenRuns, setRuns] = useState<readonly string[] | null>(null);
  const [chosenTags, setTags] = useState<readonly string[] | null>(null);
  const [hparams, setHparams] = useState(false);
  const [frozen, setFrozen] = useState(false);
  const [anonymous, setAnonymous] = useState(false);
  const [logs, setLogs] = useState(false);
  const hasLogs = useHasLogs();
  const [withView, setWithView] = useState(true);
  const [sites, setSites] = useState<string | null>(null);
  const [days, setDays] = useState<Expiry>(90);
  const origins = sites?.split(/[\s,]+/).filter((site) => site !== '');
  const make = useMutation({
    mutationFn: () =>
      api.send<Made>('POST', `/experiments/${id}/share-links`, {
        name,
        ...(chosenRuns && { runs: chosenRuns }),
        ...(chosenTags && { tags: hparams ? [...chosenTags, ...hparamTags] : chosenTags }),
        frozen,
        anonymous,
        logs: logs && !anonymous,
        ...(withView && current !== '' && { view: current }),
        ...(origins && { embed_origins: origins }),
        expires_in_days: days,
      }),
    onSuccess: (made) => {
      onMade(made);
      return client.invalidateQueries({ queryKey: ['share-links', id] });
    },
  });
  const isReady = chosenRuns?.length !== 0 && (chosenTags?.length !== 0 || hparams) && origins?.length !== 0;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isReady && !make.isPending) make.mutate();
  };
  return (
    <form className="panel" aria-label="New link" onSubmit={submit}>
      <h3>New link</h3>
      <div className="fields">
        <NameChoice title="Runs" all={names} shown={namesIn('', [...shown])} chosen={chosenRuns} onChange={setRuns} />
        <div>
          <NameChoice title="Tags" all={tagNames} shown={scalarTags(tags, tagFilter)} chosen={chosenTags} onChange={setTags} />
          {chosenTags && hasHparams && (
            <label className="choice">
              <input type="checkbox" checked={hparams} onChange={({ target }) => setHparams(target.checked)} />
              and the hyperparameters
            </label>
          )}
        </div>
      </div>
      <fieldset className="field">
        <legend>Content</legend>
        <label className="choice">
          <input type="radio" name="frozen" checked={!frozen} onChange={() => setFrozen(false)} />
          Live, as the experiment grows
        </label>
        <label className="choice">
          <input type="radio" name="frozen" checked={frozen} onChange={() => setFrozen(true)} />A snapshot, frozen now
        </label>
      </fieldset>
      <fieldset className="field">
        <legend>Options</legend>
        {current !== '' && (
          <label className="choice">
            <input type="checkbox" checked={withView} onChange={({ target }) => setWithView(target.checked)} />
            Open with your current view
          </label>
        )}
        <label className="choice">
          <input type="checkbox" checked={anonymous} onChange={({ target }) => setAnonymous(target.checked)} />
          Anonymous: hide people, workspace, file and host names
        </label>
        {hasLogs && (
          <label className="choice">
            <input type="checkbox" checked={logs && !anonymous} disabled={anonymous} onChange={({ target }) => setLogs(target.checked)} />
            Include logs: the output of the runs, with names of people and hosts
          </label>
        )}
        <label className="choice">
          <input type="checkbox" checked={sites !== null} onChange={({ target }) => setSites(target.checked ? '' : null)} />
          Embed on another website
        </label>
        {sites !== null && (
          <input
            className="text-field"
            type="text"
            autoComplete="off"
            spellCheck={false}
            placeholder="https://example.org https://wiki.example.org"
            aria-label="Websites that may embed it"
            value={sites}
            onChange={({ target }) => setSites(target.value)}
          />
        )}
      </fieldset>
      <div className="fields">
        <ExpiryChoice value={days} onChange={setDays} />
        <label className="field">
          Label
          <input
            className="text-field"
            type="text"
            maxLength={100}
            autoComplete="off"
            placeholder="Only your team sees it"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </label>
      </div>
      {make.error && (
        <p className="bad" role="alert">
          {problemText(make.error)}
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="primary" onClick={firstClickOnly} disabled={!isReady || make.isPending}>
          Create link
        </button>
      </div>
    </form>
  );
}
