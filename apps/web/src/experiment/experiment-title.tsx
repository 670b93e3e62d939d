import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type SubmitEvent, useRef, useState } from 'react';
import { problemText } from '../api/problem.ts';
import type { ExperimentJson } from '../api/types.ts';
import { useMay } from '../app/use-may.ts';
import { useWorld } from './experiment-context.ts';
import { titleOf } from './experiment-title-text.ts';

/** Maximum characters, as in the service. */
const maxLength = 100;

/**
 * The experiment's name. Readers who may rename the experiment can click the name to edit it in
 * place.
 */
export function ExperimentTitle({ experiment }: { readonly experiment: ExperimentJson }) {
  const { api, id, firstCharts } = useWorld();
  const client = useQueryClient();
  const mayRename = useMay()('experiment.update') && experiment.snapshot === null && firstCharts !== 'server';
  const [draft, setDraft] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  /**
   * Set to keep `blur` from saving, because some browsers send that event when a field is removed.
   */
  const leaving = useRef(false);
  const rename = useMutation({
    mutationFn: (name: string) => api.send<ExperimentJson>('PATCH', `/experiments/${id}`, { name }),
    onSuccess: (changed) => {
      client.setQueryData(['experiment', id], changed);
      setDraft(null);
      return client.invalidateQueries({ queryKey: ['experiments'] });
    },
  });
  if (!mayRename) return <h1>{titleOf(experiment)}</h1>;
  const close = (): void => {
    leaving.current = true;
    setDraft(null);
    rename.reset();
    requestAnimationFrame(() => button.current?.focus());
  };
  const open = (): void => {
    leaving.current = false;
    setDraft(experiment.name);
  };
  if (draft === null)
    return (
      <h1>
        <button ref={button} type="button" className="title" title="Rename" onClick={open}>
          {titleOf(experiment)}
        </button>
      </h1>
    );
  const save = (): void => {
    if (rename.isPending || leaving.current) return;
    if (draft.trim() === experiment.name) close();
    else rename.mutate(draft.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    save();
  };
  return (
    <h1 className="editing">
      <form onSubmit={submit}>
        <input
          className="text-field"
          type="text"
          aria-label="Experiment name"
          aria-invalid={rename.isError}
          maxLength={maxLength}
          autoFocus
          autoComplete="off"
          value={draft}
          onFocus={({ target }) => target.select()}
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={onKeyDown}
          onBlur={save}
        />
        {rename.error && (
          <span className="bad" role="alert">
            {problemText(rename.error)}
          </span>
        )}
      </form>
    </h1>
  );
}
