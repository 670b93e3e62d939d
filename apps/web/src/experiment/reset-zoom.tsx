import { isZoomed, unzoomed } from '#charts';
import { changeView } from './change-view.ts';
import { useView, useWorld } from './experiment-context.ts';

/** Resets the range of both axes. Renders nothing if there is no zoom. */
export function ResetZoom() {
  const { view } = useWorld();
  if (!useView(isZoomed)) return null;
  return (
    <button
      type="button"
      className="chip"
      onClick={() => changeView(view, unzoomed)}
      title="Reset both axes in all charts (or double-click a chart)"
    >
      Reset zoom
    </button>
  );
}
