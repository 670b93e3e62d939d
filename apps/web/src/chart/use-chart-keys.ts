import { type HTMLAttributes, type KeyboardEvent, type MouseEvent, type RefObject, useMemo, useState } from 'react';
import {
  type Extent,
  formatCount,
  formatDuration,
  formatValue,
  isTimeAxis,
  type ScaleKind,
  visibleText,
  type XAxis,
  xTagOf,
} from '#charts';
import { extentText } from './extent-text.ts';
import { loadPart } from '../app/later.ts';
import { useWorld } from '../experiment/experiment-context.ts';
import type { PlotContent } from './plot-content.ts';
import type { Plot } from './plot.ts';
import type { PointerReader } from './pointer-reader.ts';
import { momentText } from './tooltip.ts';

/** A chart's navigation keys. Their handler is loaded when the first key is pressed. */
const leading = /^(Arrow.+|Home|End|Page.+|[-+=0])$/;

/**
 * The handler, loaded when the first key is pressed. Keys are handled in order, including keys
 * pressed during loading.
 */
let part: Promise<typeof import('./press-key.ts')> | undefined;

interface ChartKeysParts {
  readonly plot: RefObject<Plot | null>;
  readonly reader: RefObject<PointerReader | null>;
  readonly extent: (kind: ScaleKind) => Extent | null;
}

/**
 * Makes a chart's element a single tab stop with a name. It handles keys only while it has the
 * focus, so the page keeps its own keys (WCAG 2.2, 2.1.4). If `content` is null, there is no chart,
 * and no tab stop.
 *
 * The role is `application` (WAI-ARIA 1.2, 5.4), so that screen readers pass the arrow keys to the
 * chart. Screen readers would keep the keys in a `group`, and in an `img`, which they do not enter.
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
    } else if (key === 'Enter' && reader.current?.byKey) reader.current.pick();
    else if (key === 'Escape' && reader.current?.byKey) plot.current?.point(null);
    else return;
    event.preventDefault();
    event.stopPropagation(); // a dialog around the chart also handles arrows and Esc
  };
  return {
    tabIndex: 0,
    role: 'application',
    'aria-roledescription': 'chart',
    'aria-label': name,
    onKeyDown,
    onMouseDown: leaveFocus,
    onFocus: () => reader.current?.speak(true), // before there is anything to announce, because only later changes are announced
    onBlur: () => {
      if (reader.current?.byKey) plot.current?.point(null);
      else reader.current?.speak(false);
    },
  };
}

/**
 * A click or a drag in a chart moves the focus out of it, as if nothing in the chart were
 * focusable. Keys then apply to the page or the dialog.
 */
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
  return `${tags.map(visibleText).join(', ')}: ${count}, ${xAxis === 'step' ? 'steps' : isTimeAxis(xAxis) ? 'time' : visibleText(xTagOf(xAxis)!)} ${ends}, y axis ${extentText(y)}`;
}

function placeText(place: number, xAxis: XAxis): string {
  if (xAxis === 'step') return formatCount(Math.round(place));
  if (xAxis === 'wall') return momentText(place);
  return xAxis === 'relative' ? formatDuration(place) : formatValue(Number(place.toPrecision(6)));
}
