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
import { linksKey } from './active-links.tsx';
import { LinkLabel } from './link-label.tsx';
import { LinkOptionsChoice, originsOf, plainOptions } from './link-options.tsx';
import { NameChoice } from './name-choice.tsx';
import { linksPath } from './share-links.tsx';

/** A newly created link. Its URL is returned only once. */
export type Made = Pick<ShareLinkJson, 'kind' | 'name'> & { readonly url: string };

/** The tags from which hyperparameters are read (docs/api.md). */
const hparamTags = ['_hparams_/session_start_info', '_hparams_/session_end_info'];

/** A form that creates a link: its content, its audience, and its lifetime. */
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
  const [options, setOptions] = useState(plainOptions);
  const [days, setDays] = useState<Expiry>(90);
  const origins = originsOf(options);
  const make = useMutation({
    mutationFn: () =>
      api.send<Made>('POST', linksPath(id), {
        name,
        ...(chosenRuns && { runs: chosenRuns }),
        ...(chosenTags && { tags: hparams ? [...chosenTags, ...hparamTags] : chosenTags }),
        frozen,
        anonymous: options.anonymous,
        logs: options.logs && !options.anonymous,
        ...(options.withView && current !== '' && { view: current }),
        ...(origins && { embed_origins: origins }),
        expires_in_days: days,
      }),
    onSuccess: (made) => {
      onMade(made);
      return client.invalidateQueries({ queryKey: linksKey(linksPath(id)) });
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
      <LinkOptionsChoice options={options} onChange={setOptions} hasView={current !== ''} />
      <div className="fields">
        <ExpiryChoice value={days} onChange={setDays} />
        <LinkLabel value={name} onChange={setName} />
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
