import { useCallback, useMemo, useState } from 'react';
import { toggled } from '#charts';
import { useContents, useView } from '../experiment/experiment-context.ts';
import type { Cell } from '../runs/conditions.ts';
import type { Line } from './runs-table.tsx';
import { compareCells, groupRows, sortGroups } from './table-groups.ts';
import type { RunRowData } from './use-table-rows.ts';

/**
 * The lines of the table: its rows, sorted across compared experiments, in expandable groups.
 * `gone`: the runs that are being deleted.
 */
export function useTableLines(loaded: readonly RunRowData[], gone: ReadonlySet<string>, groupBy: readonly string[]) {
  const { compared } = useContents();
  const sort = useView((view) => view.sort);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const down = sort.startsWith('-');
  const sortKey = down ? sort.slice(1) : sort;
  const inOrder = useCallback(
    (unordered: readonly RunRowData[]): readonly RunRowData[] => {
      if (compared.length === 0 || sortKey === '') return unordered;
      const cell = ({ run, cells }: RunRowData): Cell => (sortKey === 'name' ? run : (cells.get(sortKey) ?? null));
      return unordered.toSorted((a, b) => compareCells(cell(a), cell(b), down));
    },
    [compared, sortKey, down],
  );
  const rows = useMemo(() => inOrder(loaded).filter(({ run }) => !gone.has(run)), [inOrder, loaded, gone]);
  const groups = useMemo(() => {
    if (groupBy.length === 0) return null;
    const found = groupRows(rows, groupBy);
    return sortKey === '' || groupBy.includes(sortKey) ? (down ? found.toReversed() : found) : sortGroups(found, sortKey, down);
  }, [rows, groupBy, sortKey, down]);
  const lines = useMemo((): readonly Line[] => {
    if (!groups) return rows.map((row) => ({ kind: 'run', row, inGroup: false }));
    return groups.flatMap((group): Line[] => [
      { kind: 'group', group },
      ...(open.has(group.key) ? group.rows.map((row): Line => ({ kind: 'run', row, inGroup: true })) : []),
    ]);
  }, [rows, groups, open]);
  const onOpen = (key: string): void => setOpen(new Set(toggled([...open], key)));
  return { inOrder, rows, lines, open, onOpen };
}
