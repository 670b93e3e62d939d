import { type HTMLAttributes, type KeyboardEvent, type MouseEvent, type RefObject, useMemo, useState } from 'react';
import { type Extent, formatCount, formatDuration, type ScaleKind, visibleText, type XAxis } from '#charts';
import { extentText } from './extent-text.ts';
import { loadPart } from '../app/later.ts';
import { useWorld } from '../experiment/experiment-context.ts';
import type { PlotContent } from './plot-content.ts';
import type { Plot } from './plot.ts';
import type { PointerReader } from './pointer-reader.ts';
import { momentText } from './tooltip.ts';

/** Keys that lead somewhere in a chart; what they do is loaded at the first one. */
const leading = /^(Arrow.+|Home|End|Page.+|[-+=0])$/;

/** What they do, once one was pressed: keys are answered in their order, those too that were pressed while it was loaded. */
let part: Promise<typeof import('./press-key.ts')> | undefined;

interface ChartKeysParts {
  readonly plot: RefObject<Plot | null>;
  readonly reader: RefObject<PointerReader | null>;
  readonly extent: (kind: ScaleKind) => Extent | null;
}

/**
 * What makes the box of a chart one stop of Tab, with a name, that answers keys while it has the focus (so no key is taken from the page: WCAG 2.2, 2.1.4). `content` null: no chart is
 * there, and nothing to stop at.
 *
 * The role is `application` (WAI-ARIA 1.2, 5.4): screen readers then hand the arrows to the chart. They would keep them for themselves in an `img`, whose inside they do not
 * enter either, and in a `group`.
 */
export function useChartKeys(
  tags: readonly string[],
  content: PlotContent | null,
  { plot, reader, extent }: ChartKeysParts,
): HTMLAttributes<HTMLElement> | null {
  const { hover } = useWorld();
  const name = useMemo(() => content && chartName(tags, content), [tags, content]);
  const [missing, setMissing] = useState<Error | null>(null);
  if (missing) throw missing; // to the boundary around the chart
  if (name === null) return null;
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, shiftKey, currentTarget } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (leading.test(key)) {
      part ??= loadPart(() => import('./press-key.ts'));
      void part.then(({ pressKey }) => {
        if (!plot.current || !reader.current || !currentTarget.matches(':focus')) return;
        const { scales } = plot.current.content;
        pressKey({ key, shiftKey }, plot.current, {
          last: reader.current.last,
          crosshair: hover.value.x,
          whole: () => extent(scales.x.kind),
        });
      }, setMissing);
    } else if (key === 'Escape' && reader.current?.byKey) plot.current?.point(null);
    else return;
    event.preventDefault();
    event.stopPropagation(); // arrows and Esc are also the dialog's that a chart may be in
  };
  return {
    tabIndex: 0,
    role: 'application',
    'aria-roledescription': 'chart',
    'aria-label': name,
    onKeyDown,
    onMouseDown: leaveFocus,
    onFocus: () => reader.current?.speak(true), // before there is something to speak: what changes later is heard
    onBlur: () => {
      if (reader.current?.byKey) plot.current?.point(null);
      else reader.current?.speak(false);
    },
  };
}

/** A click or a drag in a chart puts the focus around it, as if nothing here could have it: keys stay those of the page, or of the dialog. */
function leaveFocus(event: MouseEvent<HTMLElement>): void {
  const { currentTarget } = event;
  if (currentTarget.matches(':focus')) return;
  event.preventDefault();
  const around = currentTarget.closest('dialog');
  if (around) around.focus({ preventScroll: true });
  else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

function chartName(tags: readonly string[], { lines, scales: { x, y }, xAxis }: PlotContent): string {
  const what = tags.length > 1 || lines.some(({ members }) => members > 1) ? 'line' : 'run';
  const count = `${formatCount(lines.length)} ${what}${lines.length === 1 ? '' : 's'}`;
  const ends = [x.min, x.max].map((place) => placeText(place, xAxis)).join(' to ');
  return `${tags.map(visibleText).join(', ')}: ${count}, ${xAxis === 'step' ? 'steps' : 'time'} ${ends}, y axis ${extentText(y)}`;
}

function placeText(place: number, xAxis: XAxis): string {
  if (xAxis === 'step') return formatCount(Math.round(place));
  return xAxis === 'relative' ? formatDuration(place) : momentText(place);
}
