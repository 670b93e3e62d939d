import { usePage } from '../app/page-context.ts';
import { placeItems } from '../app/palette-items.ts';
import { type KeyList, Palette } from '../app/palette.tsx';
import { useUnlistedTensors } from '../data/points/unlisted-tensors.ts';
import { useHasLogs } from '../logs/use-has-logs.ts';
import { changeView } from './change-view.ts';
import { useContents, useWorld } from './experiment-context.ts';
import type { HeadAction } from './head-actions.ts';
import { experimentItems } from './palette-items.ts';
import { openingView } from './remembered-text.ts';

const keys: KeyList = [
  ['/', 'filter tags'],
  ['drag, two fingers', 'zoom in (applies to all charts)'],
  ['Ctrl wheel, Shift drag', 'zoom, pan'],
  ['click', 'lock the crosshair and pick a run; repeat or press Esc to unlock'],
  ['double click', 'reset zoom'],
  ['← →', 'previous or next chart (full screen)'],
  ['← → ↑ ↓', 'step or run of an image (full screen)'],
  ['Tab', 'next chart; when focused:'],
  ['← → Home End', 'read the points of a line'],
  ['PageUp PageDown', 'move by a tenth of the axis'],
  ['↑ ↓', 'previous or next line'],
  ['Enter', 'show only the run being read'],
  ['+ − 0', 'zoom in, zoom out, reset'],
  ['Shift ← →', 'pan'],
];

interface ExperimentPaletteProps {
  /** The actions in the page's head. */
  readonly actions: readonly HeadAction[];
  readonly onAction: (action: HeadAction) => void;
}

/**
 * An experiment's palette: its charts, runs and kinds of data, the actions in the page's head, and
 * the pages of the workspace.
 */
export function ExperimentPalette({ actions, onAction }: ExperimentPaletteProps) {
  const { view } = useWorld();
  const contents = useContents();
  const { reader } = usePage();
  const hasLogs = useHasLogs();
  const hasUnlisted = useUnlistedTensors().length > 0;
  return (
    <Palette
      items={() => experimentItems(contents, actions, placeItems(reader), openingView(contents.experiment), hasLogs, hasUnlisted)}
      hint={reader ? 'a chart, a run, a kind of data, a page, an experiment' : 'a chart, a run, a kind of data'}
      keys={keys}
      onTake={({ change, action }) => {
        if (change) changeView(view, change);
        if (action) onAction(action);
      }}
    />
  );
}
