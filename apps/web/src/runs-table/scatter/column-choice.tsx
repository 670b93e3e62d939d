import type { ReactNode } from 'react';
import { visibleText } from '#charts';
import { maxChoices } from '../../app/choices.ts';
import type { RunColumn } from '../table-columns.ts';

interface ColumnChoiceProps {
  readonly name: string;
  /** Its accessible name. */
  readonly label: string;
  readonly columns: readonly RunColumn[];
  readonly chosen: string;
  readonly onChoose: (key: string) => void;
  /** Further options. */
  readonly children?: ReactNode;
}

/** A menu that selects a column of the table. */
export function ColumnChoice({ name, label, columns, chosen, onChoose, children }: ColumnChoiceProps) {
  const isKnown = chosen === '' || columns.some(({ key }) => key === chosen);
  const options = (list: readonly RunColumn[]): ReactNode[] =>
    list.slice(0, maxChoices).map((column) => (
      <option key={column.key} value={column.key}>
        {visibleText(column.name)}
      </option>
    ));
  // The selected column is an option, even if it is far down in a long list
  const metrics = columns.filter(({ of }) => of !== undefined).toSorted((a, b) => Number(b.key === chosen) - Number(a.key === chosen));
  return (
    <label className="choice">
      {name}
      <select value={chosen} aria-label={label} onChange={({ target }) => onChoose(target.value)}>
        {children}
        {!isKnown && <option value={chosen}>{visibleText(chosen)}</option>}
        <optgroup label="Hyperparameters">{options(columns.filter(({ kind }) => kind === 'hparam'))}</optgroup>
        <optgroup label="Results">{options(metrics)}</optgroup>
        <optgroup label="Runs">{options(columns.filter(({ kind, of }) => kind !== 'hparam' && of === undefined))}</optgroup>
      </select>
    </label>
  );
}
