import { Icon } from '../app/icons.tsx';
import { Menu, MenuNote } from '../app/menu.tsx';
import { usePointsFile } from '../chart/use-points-file.ts';
import { scalarTags } from './card-rows.ts';
import { useContents, useView, useWorld } from './experiment-context.ts';

/** Saves every point of the runs and tags that pass the filters, in one file. */
export function DownloadAll() {
  const { id } = useWorld();
  const { experiment, tags } = useContents();
  const filter = useView(({ tagFilter }) => tagFilter);
  const { state, save } = usePointsFile(() => scalarTags(tags, filter), experiment.name || id);
  return (
    <Menu label="Download all points shown" icon={<Icon name="download" />}>
      <button type="button" onClick={() => void save('csv')}>
        All shown points as CSV
      </button>
      <button type="button" onClick={() => void save('jsonl')}>
        All shown points as JSON Lines
      </button>
      <MenuNote state={state} />
    </Menu>
  );
}
