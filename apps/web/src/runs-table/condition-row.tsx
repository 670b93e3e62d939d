import type { CSSProperties } from 'react';
import { visibleText } from '#charts';
import type { RunColumn } from './table-columns.ts';

interface ConditionRowProps {
  readonly columns: readonly RunColumn[];
  /** Keys of the columns with numbers. */
  readonly numbers: ReadonlySet<string>;
  /** For each column: where it is pinned, and the style of its cells. */
  readonly pins: readonly (CSSProperties | undefined)[];
  readonly styles: readonly (CSSProperties | undefined)[];
  readonly conditions: ReadonlyMap<string, string>;
  readonly onFilter: (key: string, text: string) => void;
}

/** Fields for the conditions of all columns by which the service can filter. */
export function ConditionRow({ columns, numbers, pins, styles, conditions, onFilter }: ConditionRowProps) {
  return (
    <tr className="conditions">
      <td className="tick" />
      <td className="name-cell" />
      {columns.map(({ key, where, name, kind }, i) => (
        <td key={key} className={pins[i] && 'pinned'} style={styles[i]}>
          {where !== undefined && (
            <input
              type="search"
              className="text-field"
              placeholder={kind === 'state' ? 'finished' : kind === 'metric' || numbers.has(key) ? '> 0.1' : 'contains'}
              title="> 0.1, <= 3, 0.1..1, or part of the text"
              aria-label={`Filter by ${visibleText(name)}`}
              value={conditions.get(where) ?? ''}
              onChange={({ target }) => onFilter(where, target.value)}
            />
          )}
        </td>
      ))}
    </tr>
  );
}
