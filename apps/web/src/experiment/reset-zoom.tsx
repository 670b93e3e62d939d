import { isZoomed, unzoomed } from '#charts';
import { changeView } from './change-view.ts';
import { useView, useWorld } from './experiment-context.ts';

/** Shows all of both axes again; nothing where all is shown. */
export function ResetZoom() {
  const { view } = useWorld();
  if (!useView(isZoomed)) return null;
  return (
    <button
      type="button"
      className="chip"
      onClick={() => changeView(view, unzoomed)}
      title="Show all of both axes again, in all charts (a double click in a chart does the same)"
    >
      Reset zoom
    </button>
  );
}
