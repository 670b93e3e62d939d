import { formatValue, visibleText } from '#charts';
import { type Metric, sparkline, sparklinePath } from './sparkline-path.ts';

/** A metric's sparkline within a line of text, and its last value. */
export function MetricCell({ metric }: { readonly metric: Metric }) {
  const { tag, last, min, max } = metric;
  const short = (value: number | string): string => formatValue(Number(Number(value).toPrecision(4)));
  return (
    <span className="metric" title={`${visibleText(tag)}: last ${short(last)}, min ${short(min)}, max ${short(max)}`}>
      <svg className="sparkline" viewBox={`0 0 ${sparkline.width} ${sparkline.height}`} {...sparkline} aria-hidden="true">
        <path d={sparklinePath(metric)} />
      </svg>
      <span className="metric-text">
        <span>{short(last)}</span>
        <span className="dim cut">{visibleText(tag)}</span>
      </span>
    </span>
  );
}
