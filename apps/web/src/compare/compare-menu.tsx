import { useState } from 'react';
import { maxCompared, toggled } from '#charts';
import { problemText } from '../api/problem.ts';
import type { ExperimentJson } from '../api/types.ts';
import { Menu } from '../app/menu.tsx';
import { changeView } from '../experiment/change-view.ts';
import { useView, useWorld } from '../experiment/experiment-context.ts';
import { titleOf } from '../experiment/experiment-title-text.ts';
import type { HeadButtonProps } from '../experiment/head-actions.ts';
import { useFoundExperiments } from '../home/use-found-experiments.ts';

interface ChoiceProps {
  readonly known: readonly ExperimentJson[];
  readonly failed: readonly string[];
}

/**
 * Selects the experiments whose runs appear next to those of this experiment. `known`: the
 * experiments that are shown; `failed`: those that cannot be read.
 */
export function CompareMenu({ open, onOpen, ...others }: ChoiceProps & HeadButtonProps) {
  const compare = useView((view) => view.compare);
  const isEmpty = compare.length === 0;
  return (
    <Menu
      // The label contains the visible text, because that is what users of voice control say
      label={isEmpty ? 'Compare with other experiments' : `Compared with ${compare.length}: choose experiments`}
      icon={isEmpty ? 'Compare' : `Compared with ${compare.length}`}
      opened={{ open, onOpen }}
    >
      <Choice {...others} />
    </Menu>
  );
}

function Choice({ known, failed }: ChoiceProps) {
  const { view, api, id } = useWorld();
  const compare = useView((all) => all.compare);
  const [search, setSearch] = useState('');
  const { found: data, wanted, error } = useFoundExperiments(api, search);
  const found = (data ?? []).filter((one) => one.id !== id && !compare.includes(one.id));
  const toggle = (other: string): void => changeView(view, { compare: toggled(compare, other) });
  return (
    <div className="menu-form compare">
      {known.map((one) => (
        <Line key={one.id} experiment={one} chosen onToggle={toggle} />
      ))}
      {failed.map((one) => (
        <label key={one} className="choice">
          <input type="checkbox" checked onChange={() => toggle(one)} />
          <span className="cut bad">{one} cannot be read</span>
        </label>
      ))}
      <input
        type="search"
        className="text-field"
        placeholder="Search names"
        aria-label="Search experiments to compare with"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {error && <p className="dim">{problemText(error)}</p>}
      {data && found.length === 0 && <p className="dim">{wanted === '' ? 'There are no other experiments.' : 'No matches.'}</p>}
      {found.map((one) => (
        <Line key={one.id} experiment={one} chosen={false} disabled={compare.length >= maxCompared} onToggle={toggle} />
      ))}
    </div>
  );
}

interface LineProps {
  readonly experiment: ExperimentJson;
  readonly chosen: boolean;
  readonly disabled?: boolean;
  readonly onToggle: (id: string) => void;
}

function Line({ experiment, chosen, disabled = false, onToggle }: LineProps) {
  return (
    <label className="choice">
      <input type="checkbox" checked={chosen} disabled={disabled} onChange={() => onToggle(experiment.id)} />
      <span className="cut" title={titleOf(experiment)}>
        {titleOf(experiment)}
      </span>
      <span className="dim end">{experiment.created.slice(0, 10)}</span>
    </label>
  );
}
