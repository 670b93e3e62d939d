import { createContext, useContext } from 'react';
import type { ChartParts } from '#charts';

/** On the server: the pictures of the first charts, by tag. */
export const FirstChartsContext = createContext<ReadonlyMap<string, ChartParts>>(new Map());

/** A chart as the page arrives with it. The parts are made of numbers and escaped text by `#charts`. */
export function FirstChart({ tag }: { readonly tag: string }) {
  const parts = useContext(FirstChartsContext).get(tag);
  return (
    <div className="chart">
      <div className="chart-box">
        {parts && (
          <div
            className="first-chart"
            data-tag={encodeURIComponent(tag)}
            dangerouslySetInnerHTML={{ __html: parts.yLabels + parts.plot + parts.xLabels }}
          />
        )}
      </div>
      <div className="reading" />
    </div>
  );
}

/** The pictures that the page arrived with, by tag, taken out of it: they go on standing in their cards until the canvases are there. */
export function takeFirstCharts(root: ParentNode): Map<string, Element> {
  const charts = new Map<string, Element>();
  for (const chart of root.querySelectorAll('.first-chart[data-tag]'))
    charts.set(decodeURIComponent(chart.getAttribute('data-tag')!), chart);
  return charts;
}
