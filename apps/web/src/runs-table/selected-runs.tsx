import { useMemo } from 'react';
import { formatCount } from '#charts';
import { inAddress } from '../compare/compared-run.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { ArchiveNote } from '../runs/archive-choice.tsx';
import { useArchivable, useArchiving } from '../runs/use-archiving.ts';

interface SelectedRunsProps {
  readonly selected: ReadonlySet<string>;
  readonly total: number | undefined;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

/** How many runs there are; what can be done with the selected ones. */
export function SelectedRuns({ selected, total, onSelect }: SelectedRunsProps) {
  const { view } = useWorld();
  const { runs, compared } = useContents();
  const archiving = useArchiving();
  const archivable = useArchivable(useMemo(() => runs.filter(({ run }) => selected.has(run)), [runs, selected]));
  const count =
    total === undefined || total === runs.length
      ? `${formatCount(runs.length)} runs`
      : `${formatCount(total)} of ${formatCount(runs.length)} runs`;
  if (selected.size === 0)
    return (
      <>
        <span className="dim" role="status">
          {count}
        </span>
        <ArchiveNote {...archiving} />
      </>
    );
  const show = (): void =>
    changeView(view, { tab: 'scalars', onlyRuns: inAddress([...selected], compared), hiddenRuns: [], runFilter: '', where: [] });
  return (
    <>
      <span role="status">{formatCount(selected.size)} selected</span>
      <button type="button" onClick={show}>
        {selected.size === 1 ? 'Show charts' : 'Compare in charts'}
      </button>
      {[false, true].map((archived) => {
        const names = archivable.get(archived) ?? [];
        return names.length === 0 ? null : (
          <button
            key={String(archived)}
            type="button"
            disabled={archiving.busy}
            onClick={() => archiving.archive({ runs: names, archived: !archived })}
          >
            {archived ? 'Unarchive' : 'Archive'}
          </button>
        );
      })}
      <button type="button" className="quiet" onClick={() => onSelect(new Set())}>
        Clear
      </button>
      <ArchiveNote {...archiving} />
    </>
  );
}
