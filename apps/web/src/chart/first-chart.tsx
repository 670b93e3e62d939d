import { createContext, useContext } from 'react';
import type { ChartParts } from '#charts/svg';

/** On the server: the pictures of the first charts, by tag. */
export const FirstChartsContext = createContext<ReadonlyMap<string, ChartParts>>(new Map());

/** A chart delivered with the page. `#charts` builds its markup from numbers and escaped text. */
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
