import { useMemo } from 'react';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { columnsOf, pointColumnsOf, scalarsByRank, shownColumns, stepTag } from './table-columns.ts';

/** The columns that the table can have, and the columns that the view selects. */
export function useTableColumns() {
  const { api } = useWorld();
  const { runs, tags } = useContents();
  const { sort, columns: chosen, pinnedColumns, groupBy: grouping } = useView((all) => all);
  const every = useMemo(() => columnsOf(runs, tags), [runs, tags]);
  const ofPoints = useMemo(() => pointColumnsOf([...(chosen ?? []), sort.replace(/^-/, '')], tags), [chosen, sort, tags]);
  // A bundle contains no steps of extremes and no values at steps
  const all = useMemo(
    () => (api.isStored ? every.filter(({ kind, of }) => kind !== 'count' || of === undefined) : [...every, ...ofPoints]),
    [every, ofPoints, api],
  );
  const pointTags = useMemo(() => (api.isStored ? [] : scalarsByRank(tags)), [api, tags]);
  const groupBy = useMemo(() => grouping.filter((key) => all.some((column) => column.key === key)), [grouping, all]);
  const step = useMemo(() => stepTag(tags), [tags]);
  const columns = useMemo(() => shownColumns(all, chosen, pinnedColumns), [all, chosen, pinnedColumns]);
  return {
    all,
    /** The visible columns. */
    columns,
    /** The tags for columns with values at a step. */
    pointTags,
    groupBy,
    /** The tag with the last step that counts as a run's last step. */
    step,
  };
}
