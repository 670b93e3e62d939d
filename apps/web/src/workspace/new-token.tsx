import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { toggled } from '#charts';
import type { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { ExperimentJson } from '../api/types.ts';
import { type Expiry, ExpiryChoice } from '../app/expiry-choice.tsx';
import { firstClickOnly } from '../app/first-click.ts';
import { useMay } from '../app/use-may.ts';
import { titleOf } from '../experiment/experiment-title-text.ts';
import { useFoundExperiments } from '../home/use-found-experiments.ts';

const scopeTexts: readonly (readonly [string, string])[] = [
  ['read', 'read experiments'],
  ['upload', 'create experiments, upload, rename'],
  ['manage', 'delete, share, create tokens'],
  ['admin', 'manage members and the workspace'],
];

interface NewTokenProps {
  readonly api: Api;
  readonly onMade: (made: { readonly name: string; readonly token: string }) => void;
  readonly onClose: () => void;
}

/** Creates a token. Permissions that the reader lacks are not offered. */
export function NewToken({ api, onMade, onClose }: NewTokenProps) {
  const client = useQueryClient();
  const may = useMay();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(may('experiment.upload') ? ['read', 'upload'] : ['read']);
  const [experiments, setExperiments] = useState<readonly ExperimentJson[] | null>(null);
  const [days, setDays] = useState<Expiry>(90);
  const make = useMutation({
    mutationFn: () =>
      api.send<{ name: string; token: string }>('POST', '/tokens', {
        name,
        scopes,
        ...(experiments && { experiments: experiments.map(({ id }) => id) }),
        expires_in_days: days,
      }),
    onSuccess: (made) => {
      onMade(made);
      return client.invalidateQueries({ queryKey: ['tokens'] });
    },
  });
  const offered = scopeTexts.filter(([scope]) => {
    if (scope === 'upload') return may('experiment.upload');
    return scope !== 'admin' || may('member.manage');
  });
  const isReady = name.trim() !== '' && scopes.length > 0 && experiments?.length !== 0;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isReady && !make.isPending) make.mutate();
  };
  return (
    <form className="panel" aria-label="New token" onSubmit={submit}>
      <label className="field">
        Name
        <input
          className="text-field"
          type="text"
          maxLength={100}
          autoComplete="off"
          autoFocus
          placeholder="For example: cluster uploads"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <fieldset className="field">
        <legend>Permissions</legend>
        {offered.map(([scope, text]) => (
          <label key={scope} className="choice">
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => setScopes(toggled(scopes, scope))} />
            <span>{scope}</span> <span className="dim">{text}</span>
          </label>
        ))}
      </fieldset>
      <fieldset className="field">
        <legend>Scope</legend>
        <label className="choice">
          <input type="radio" name="where" checked={experiments === null} onChange={() => setExperiments(null)} />
          Whole workspace
        </label>
        <label className="choice">
          <input type="radio" name="where" checked={experiments !== null} onChange={() => setExperiments([])} />
          Selected experiments
        </label>
        {experiments && <ExperimentChoice api={api} chosen={experiments} onChange={setExperiments} />}
      </fieldset>
      <ExpiryChoice value={days} onChange={setDays} />
      {make.error && <p className="bad">{problemText(make.error)}</p>}
      <div className="buttons">
        <button type="submit" className="primary" onClick={firstClickOnly} disabled={!isReady || make.isPending}>
          Create token
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface ExperimentChoiceProps {
  readonly api: Api;
  readonly chosen: readonly ExperimentJson[];
  readonly onChange: (chosen: readonly ExperimentJson[]) => void;
}

function ExperimentChoice({ api, chosen, onChange }: ExperimentChoiceProps) {
  const [search, setSearch] = useState('');
  const { found, error } = useFoundExperiments(api, search);
  const more = (found ?? []).filter(({ id }) => !chosen.some((one) => one.id === id));
  return (
    <div className="names">
      <input
        type="search"
        className="text-field"
        placeholder="Search names"
        aria-label="Search experiments by name"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {error && <p className="bad">{problemText(error)}</p>}
      <div className="names-list" role="group" aria-label="Experiments" tabIndex={0}>
        {[...chosen, ...more].map((one) => {
          const isChosen = chosen.includes(one);
          return (
            <label key={one.id} className="choice">
              <input
                type="checkbox"
                checked={isChosen}
                onChange={() => onChange(isChosen ? chosen.filter(({ id }) => id !== one.id) : [...chosen, one])}
              />
              <span className="cut">{titleOf(one)}</span>
            </label>
          );
        })}
      </div>
    </div>
  );
}
