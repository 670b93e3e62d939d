import { useMemo } from 'react';
import { visibleText } from '#charts';
import { maxChoices } from '../app/choices.ts';
import { Icon } from '../app/icons.tsx';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { readConditions, writeConditions } from './conditions.ts';
import { attributeName, attributeNames, attributesOf } from './run-attributes.ts';
import { useSeries } from './use-series.ts';

/**
 * The conditions that shown runs must meet, one per line. `draft`: an attribute that has no
 * condition yet.
 */
export function RunConditions({ draft, onDraft }: { readonly draft: string | null; readonly onDraft: (key: string | null) => void }) {
  const { view } = useWorld();
  const where = useView((all) => all.where);
  const conditions = useMemo(() => readConditions(where), [where]);
  const lines = draft === null || conditions.has(draft) ? [...conditions] : [...conditions, [draft, ''] as const];
  const set = (key: string, text: string): void => {
    if (text === '') onDraft(key); // its line stays while the user types
    changeView(view, { where: writeConditions(new Map([...conditions, [key, text]])) });
  };
  const remove = (key: string): void => {
    if (draft === key) onDraft(null);
    changeView(view, { where: writeConditions(new Map([...conditions].filter(([one]) => one !== key))) });
  };
  if (lines.length === 0) return null;
  return (
    <ul className="run-conditions" aria-label="Filters">
      {lines.map(([key, text]) => {
        const name = visibleText(attributeName(key));
        return (
          <li key={key}>
            <span className="cut" title={name}>
              {name}
            </span>
            <input
              type="search"
              className="text-field"
              placeholder="> 0.1, 0.1..1, text"
              aria-label={`Filter by ${name}`}
              autoFocus={key === draft}
              value={text}
              onChange={({ target }) => set(key, target.value)}
            />
            <button type="button" className="quiet" aria-label={`Remove the filter on ${name}`} onClick={() => remove(key)}>
              <Icon name="close" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Selects the subject of another condition. */
export function AddCondition({ onChoose }: { readonly onChoose: (key: string) => void }) {
  const { runs, compared } = useContents();
  const series = useSeries(true, compared);
  const names = useMemo(() => attributeNames(attributesOf(runs, series ?? [])), [runs, series]);
  const [hparams, metrics] = [names.filter(({ key }) => key.startsWith('h:')), names.filter(({ key }) => key.startsWith('m:'))];
  const options = (list: typeof names) =>
    list.slice(0, maxChoices).map(({ key, name }) => (
      <option key={key} value={key}>
        {visibleText(name)}
      </option>
    ));
  return (
    <label>
      Filter by
      <select value="" onChange={({ target }) => onChoose(target.value)}>
        <option value="" disabled>
          Add filter…
        </option>
        <option value="status">State</option>
        {runs.some(({ labels }) => labels.length > 0) && <option value="label">Label</option>}
        {hparams.length > 0 && <optgroup label="Hyperparameters">{options(hparams)}</optgroup>}
        {metrics.length > 0 && <optgroup label="Last values">{options(metrics)}</optgroup>}
      </select>
    </label>
  );
}
