import { countText, formatCount, formatExact, notFiniteAt, type View, visibleText } from '#charts';
import { notFiniteText } from '../not-finite-text.ts';
import { momentText } from '../tooltip.ts';
import type { HeatCell } from './heat-cells.ts';

interface CellTextsProps {
  readonly tag: string;
  readonly cell: HeatCell;
  readonly xAxis: View['xAxis'];
}

/** All details of a point; for several points, the bucket's largest, smallest and last one. */
export function CellTexts({ tag, cell: { line, index }, xAxis }: CellTextsProps) {
  const { series, x } = line;
  const last = formatCount(series.exactStep?.[index] ?? series.step[index]!);
  const count = series.count[index]!;
  const notFinite = notFiniteText(notFiniteAt(series, index), formatCount);
  const where = xAxis === 'wall' ? ` · ${momentText(x[index]!)}` : '';
  return (
    <>
      <b>{visibleText(tag)}</b>
      {count <= 1 ? (
        <>
          <span className="dim">
            step {last}
            {where}
            {series.writer !== null && ` · writer ${series.writer}`}
          </span>
          <span>{formatExact(series.value[index]!)}</span>
        </>
      ) : (
        <>
          <span className="dim">
            steps {formatCount(series.firstStep[index]!)}–{last}
            {where} · {countText(count, 'point')}
          </span>
          {!Number.isNaN(series.high[index]!) && (
            <span>
              {formatExact(series.low[index]!)} to {formatExact(series.high[index]!)}
            </span>
          )}
          <span>last {formatExact(series.value[index]!)}</span>
          {notFinite !== '' && <span>{notFinite}</span>}
        </>
      )}
    </>
  );
}
