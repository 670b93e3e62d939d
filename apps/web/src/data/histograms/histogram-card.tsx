import { type PointerEvent, use, useMemo, useRef, useState } from 'react';
import { formatCount, leftInset } from '#charts';
import { CardHeadingLevel } from '../../app/main-area.tsx';
import { useContents, useView } from '../../experiment/experiment-context.ts';
import { RunCaption } from '../run-caption.tsx';
import { type PlotBox, SvgAxes } from '../svg-axes.tsx';
import { useWidth } from '../use-width.ts';
import type { TensorSeries } from '../values.ts';
import { histogramsOf } from './histogram.ts';
import { percentiles, percentileTicks } from './percentiles.ts';
import { ridges, stepLabels } from './ridges.ts';
import type { TagScale } from './tag-scale.ts';

const height = 206;
const insets = { left: 16, top: 8, bottom: 24 };

interface HistogramCardProps {
  readonly series: TensorSeries;
  /** The scale that all shown runs share. */
  readonly scale: TagScale;
}

/** The histograms of one run, with a readout at the pointer. */
export function HistogramCard({ series, scale }: HistogramCardProps) {
  const form = useView(({ histograms }) => histograms);
  const { styles } = useContents();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [at, setAt] = useState<{ readonly x: number; readonly y: number } | null>(null);
  const list = histogramsOf(series);
  const move = ({ clientX, clientY, currentTarget }: PointerEvent): void => {
    const { left, top } = currentTarget.getBoundingClientRect();
    setAt({ x: clientX - left, y: clientY - top });
  };
  const level = use(CardHeadingLevel);
  const labels = form === 'percentiles' ? percentileTicks(scale).map(({ label }) => label) : form === 'offset' ? stepLabels(list) : [];
  const right = 8 + leftInset(labels);
  const plot: PlotBox = {
    left: insets.left,
    top: insets.top,
    width: Math.max(1, width - insets.left - right),
    height: height - insets.top - insets.bottom,
  };
  const { left, top, width: wide, height: tall } = plot;
  const drawing = useMemo(() => {
    if (width === 0 || !scale.edges) return null;
    const place = { left, top, width: wide, height: tall };
    return form === 'percentiles' ? percentiles(list, scale, place) : ridges(list, scale, place, form === 'offset');
  }, [list, scale, form, width, left, top, wide, tall]);
  const hasBins = list.some(({ bins }) => bins.length > 0);
  const found = at && drawing ? drawing.read(at.x, at.y) : null;
  return (
    <div className="card">
      <header>
        <h3 aria-level={level}>
          <RunCaption run={series.run} />
        </h3>
        <span className="card-note">
          {found?.text ??
            `${formatCount(list.length)} of ${formatCount(series.source_points)} ${Number(series.source_points) === 1 ? 'step' : 'steps'}`}
        </span>
      </header>
      <div className="chart-box" ref={box}>
        {!hasBins && <p className="chart-message">No values, or only NaN.</p>}
        {hasBins && drawing && (
          <svg
            className={`histogram ${form} c${styles.get(series.run)?.color ?? 0}`}
            width={width}
            height={height}
            role="img"
            aria-label={`${form} of ${list.length} histograms`}
            onPointerMove={move}
            onPointerLeave={() => setAt(null)}
          >
            <SvgAxes box={plot} x={drawing.x} y={drawing.y} side="right" />
            {drawing.paths.map(({ d, kind, opacity }, i) => (
              <path key={i} className={`${kind}${found?.index === i ? ' on' : ''}`} opacity={opacity} d={d} />
            ))}
          </svg>
        )}
      </div>
    </div>
  );
}
