import { nameFilter, type Spread, visibleText } from '#charts';
import { maxChoices } from '../app/choices.ts';
import { scalarTags } from '../experiment/card-rows.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { ArchiveChoice } from './archive-choice.tsx';
import { AddCondition } from './run-conditions.tsx';
import { readRunSort, sortStats, writeRunSort } from './run-sort.ts';
import type { useArchiving } from './use-archiving.ts';

const spreadNames: Readonly<Record<Spread, string>> = {
  '': 'Show all runs',
  std: 'Mean ± standard deviation',
  minmax: 'Mean with min and max',
  ci: 'Mean with 95% CI',
};

/** How long a running run may log nothing before it counts as stalled. */
function StalledAfter() {
  const { view } = useWorld();
  const minutes = useView((all) => all.stalledAfter);
  return (
    <label>
      Stalled after
      <select value={minutes} onChange={({ target }) => changeView(view, { stalledAfter: Number(target.value) })}>
        {[...new Set([...silences.keys(), minutes])].map((one) => (
          <option key={one} value={one}>
            {silences.get(one) ?? `${one} minutes`} without data
          </option>
        ))}
      </select>
    </label>
  );
}

/** Offered minutes of silence. */
const silences: ReadonlyMap<number, string> = new Map([
  [5, '5 minutes'],
  [10, '10 minutes'],
  [30, '30 minutes'],
  [60, '1 hour'],
  [360, '6 hours'],
  [1440, '1 day'],
]);

export interface RunSettingsProps {
  readonly onCondition: (key: string) => void;
  readonly archiving: ReturnType<typeof useArchiving>;
}

/** Selects the order of the runs, their groups, and whether archived runs are shown. */
export default function RunSettingsForm({ onCondition, archiving }: RunSettingsProps) {
  const { view } = useWorld();
  const { tags, runs } = useContents();
  const sortText = useView(({ runSort }) => runSort);
  const colorGroup = useView((all) => all.colorGroup);
  const spread = useView((all) => all.spread);
  const sort = readRunSort(sortText);
  const names = [...new Set(runs.flatMap(({ hparams }) => Object.keys(hparams)))].sort();
  const scalars = scalarTags(tags, '').slice(0, maxChoices);
  const kind = colorGroup.startsWith('regex:') ? 'regex:' : colorGroup;
  const isInvalid = kind === 'regex:' && nameFilter(colorGroup.slice('regex:'.length)).invalid;
  const setSort = (by: string): void => {
    const [stat] = sortStats.filter((one) => one === by);
    if (stat)
      changeView(view, { runSort: writeRunSort({ by: stat, tag: 'tag' in sort ? sort.tag : (scalars[0] ?? ''), down: sort.down }) });
    else changeView(view, { runSort: writeRunSort({ by: by === 'name' ? 'name' : 'start', down: sort.down }) });
  };
  return (
    <div className="menu-form">
      <AddCondition onChoose={onCondition} />
      <StalledAfter />
      <label>
        Sort by
        <select value={sort.by} onChange={({ target }) => setSort(target.value)}>
          <option value="start">Start time</option>
          <option value="name">Name</option>
          {sortStats.map((stat) => (
            <option key={stat} value={stat}>
              {stat === 'last' ? 'Last value' : stat === 'min' ? 'Smallest value' : 'Largest value'} of a tag
            </option>
          ))}
        </select>
      </label>
      {'tag' in sort && (
        <label>
          Tag
          <select value={sort.tag} onChange={({ target }) => changeView(view, { runSort: writeRunSort({ ...sort, tag: target.value }) })}>
            {[...new Set([sort.tag, ...scalars])].map((tag) => (
              <option key={tag} value={tag}>
                {visibleText(tag)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label className="choice">
        <input
          type="checkbox"
          checked={sort.down}
          onChange={({ target }) => changeView(view, { runSort: writeRunSort({ ...sort, down: target.checked }) })}
        />
        Descending
      </label>
      <label>
        Color by
        <select
          value={kind}
          onChange={({ target }) => changeView(view, { colorGroup: target.value, spread: target.value === '' ? '' : spread })}
        >
          <option value="">Run</option>
          <option value="regex:">Regex over run names</option>
          {[...new Set([...names.map((name) => `hparam:${name}`), ...(kind.startsWith('hparam:') ? [kind] : [])])].map((value) => (
            <option key={value} value={value}>
              Hyperparameter {visibleText(value.slice('hparam:'.length))}
            </option>
          ))}
        </select>
      </label>
      {kind === 'regex:' && (
        <input
          type="text"
          className={`text-field${isInvalid ? ' invalid' : ''}`}
          title={isInvalid ? 'Not a valid regex; matching it as plain text' : undefined}
          placeholder="lr=([0-9.]+)"
          aria-label="Regular expression; its captures form the groups"
          value={colorGroup.slice('regex:'.length)}
          onChange={({ target }) => changeView(view, { colorGroup: `regex:${target.value}` })}
        />
      )}
      {colorGroup !== '' && (
        <label>
          Groups show
          <select value={spread} onChange={({ target }) => changeView(view, { spread: target.value as Spread })}>
            {Object.entries(spreadNames).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <ArchiveChoice {...archiving} />
    </div>
  );
}
