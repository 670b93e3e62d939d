import { memo, Suspense, use, useCallback, useMemo, useRef, useState } from 'react';
import {
  type ChartLine,
  formatCount,
  formatShort,
  type HeatMap,
  minHeatMapTags,
  maxPanelTags,
  type Panel,
  panelTags,
  panelText,
  plainHeatMap,
  visibleText,
} from '#charts';
import { Boundary, brokenChart } from '../app/boundary.tsx';
import { Icon } from '../app/icons.tsx';
import { later } from '../app/later.ts';
import { CardHeadingLevel } from '../app/main-area.tsx';
import { ArrangeMenu } from '../experiment/arrange-menu.tsx';
import { useCardDrag } from '../experiment/card-moves.ts';
import { changeView } from '../experiment/change-view.ts';
import { scalarTags } from '../experiment/card-rows.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { dataNote } from '../experiment/wanted.ts';
import { Chart, type ChartHandle } from './chart.tsx';
import { DownloadMenu } from './download-menu.tsx';
import { tagLook } from './tag-styles.ts';

const HeatMapChart = later(() => import('./heat-map/heat-map.tsx'));

interface PanelCardProps {
  readonly panel: Panel;
  /** The section in which the panel can be moved. */
  readonly group: string;
  readonly isWide: boolean;
}

/** A chart with several tags, its legend, and its actions. */
export const PanelCard = memo(function PanelCard({ panel, group, isWide }: PanelCardProps) {
  const { view, firstCharts } = useWorld();
  const contents = useContents();
  const { shown } = contents;
  const isServer = firstCharts === 'server';
  const key = panelText(panel);
  const title = panelTitle(panel);
  const wanted = useView(({ panels }) => panels.find((one) => panelText(one) === key)) ?? panel;
  // The server does not run regular expressions, because they could use up its CPU
  const isFormula = 'formula' in wanted;
  const tags = useMemo(
    () => (isServer ? [] : 'formula' in wanted ? [wanted.formula] : panelTags(wanted, scalarTags(contents.tags, ''))),
    [isServer, wanted, contents.tags],
  );
  const place = useMemo(() => ({ group, key }), [group, key]);
  const drag = useCardDrag(place, isWide);
  const level = use(CardHeadingLevel);
  const handle = useRef<ChartHandle>(null);
  const [note, setNote] = useState('');
  const onLines = useCallback((lines: readonly ChartLine[]) => setNote(dataNote(lines, formatShort)), []);
  const remove = (): void => changeView(view, { panels: view.value.panels.filter((one) => panelText(one) !== key) });
  const heatMap = ('formula' in wanted || tags.length < minHeatMapTags ? null : wanted.heatMap) ?? null;
  const draw = (next: HeatMap | null): void =>
    changeView(view, {
      panels: view.value.panels.map((one) => {
        if (panelText(one) !== key || 'formula' in one) return one;
        const { heatMap: _, ...lines } = one;
        return next === null ? lines : { ...lines, heatMap: next };
      }),
    });
  return (
    <article className={`card${drag.className}`} aria-label={visibleText(title)} {...drag.card}>
      <header>
        <h3 aria-level={level} title={visibleText(title)} {...drag.title}>
          {visibleText(title)}
        </h3>
        <span className="card-note">{note}</span>
        <div className="card-actions">
          <button type="button" aria-label={`Remove ${visibleText(title)}`} title="Remove this panel" onClick={remove}>
            <Icon name="close" />
          </button>
          {!isFormula && tags.length >= minHeatMapTags && (
            <button
              type="button"
              aria-pressed={heatMap !== null}
              aria-label={`Heat map: ${visibleText(title)}`}
              title={heatMap === null ? 'Draw as a heat map' : 'Draw as lines'}
              onClick={() => draw(heatMap === null ? plainHeatMap : null)}
            >
              <Icon name="grid" />
            </button>
          )}
          {!isFormula && tags.length > 0 && <DownloadMenu tags={tags} handle={heatMap === null ? handle : null} />}
          <ArrangeMenu place={place} name={title} />
          {!isFormula && tags.length > 0 && heatMap === null && (
            <button
              type="button"
              aria-label={`Full screen: ${visibleText(title)}`}
              title="Full screen"
              onClick={() => changeView(view, { card: tags[0]!, also: tags.slice(1) })}
            >
              <Icon name="expand" />
            </button>
          )}
        </div>
      </header>
      {!isFormula && heatMap === null && <Legend tags={tags} runs={shown.size} />}
      <Boundary what="This chart" around={brokenChart}>
        {heatMap !== null && (
          <Suspense fallback={<div className="heat-map" aria-busy="true" />}>
            <HeatMapChart tags={tags} title={title} heatMap={heatMap} onChange={draw} onLines={onLines} />
          </Suspense>
        )}
        {heatMap === null && tags.length > 0 && (
          <Chart tags={tags} panel={key} isFormula={isFormula} size="card" handle={handle} onLines={onLines} />
        )}
        {tags.length === 0 && !isServer && <p className="panel-empty">No tags match this panel.</p>}
      </Boundary>
    </article>
  );
});

function panelTitle(panel: Panel): string {
  if ('formula' in panel) return panel.formula;
  return 'match' in panel ? panel.match : panel.tags.join(', ');
}

/** The tags with their colors or dashes. */
function Legend({ tags, runs }: { readonly tags: readonly string[]; readonly runs: number }) {
  const { colored, tags: styles } = tagLook(tags, runs);
  const more = tags.length === maxPanelTags ? ` (the first ${formatCount(maxPanelTags)} tags)` : '';
  return (
    <ul className="panel-legend" title={visibleText(tags.join(', ')) + more}>
      {tags.map((tag) => {
        const { color, dash } = styles.get(tag)!;
        return (
          <li key={tag}>
            <i className={`swatch ${colored ? `c${color}` : 'plain'} d${dash}`} />
            {visibleText(tag)}
          </li>
        );
      })}
    </ul>
  );
}
