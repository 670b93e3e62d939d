import { type PointerEvent, useMemo, useRef, useState } from 'react';
import { formatCount, makeScale, valueTicks, visibleText } from '#charts';
import { useContents, useView } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { RunCaption } from '../run-caption.tsx';
import { StateNote } from '../state-note.tsx';
import { StepSlider, stepsOf } from '../step-slider.tsx';
import { type PlotBox, SvgAxes } from '../svg-axes.tsx';
import { TagHead } from '../tag-head.tsx';
import { TagSections } from '../tag-sections.tsx';
import { useWidth } from '../use-width.ts';
import { indexAt, useTensors } from '../values.ts';
import { areasOf, type Curve, drawnThresholds, nearestThreshold, readCurve } from './curve.ts';

/** Precision against recall, for all runs at one step. */
export default function CurvesPanel() {
  return (
    <TagSections
      tab="pr_curves"
      section={(tag) => (
        <Near height={380}>
          <CurveTag tag={tag} />
        </Near>
      )}
    />
  );
}

interface ShownCurve {
  readonly run: string;
  readonly step: number | string;
  readonly curve: Curve;
}

function CurveTag({ tag }: { readonly tag: string }) {
  const { series, ...state } = useTensors({ tag, plugin: 'pr_curves', points: 100 });
  const step = useView((view) => view.step);
  const curves = series.flatMap(({ run, columns }): ShownCurve[] => {
    const index = indexAt(columns.step, step);
    const value = columns.value[index];
    const curve = value ? readCurve(value) : null;
    return curve ? [{ run, step: columns.step[index]!, curve }] : [];
  });
  return (
    <article className="values" aria-label={visibleText(tag)}>
      <TagHead tag={tag}>
        <StepSlider steps={stepsOf(series.map(({ columns }) => columns.step))} label={visibleText(tag)} />
      </TagHead>
      <StateNote {...state} empty={series.length === 0} />
      {curves.length > 0 && <Curves curves={curves} />}
    </article>
  );
}

const height = 320;
const unit = makeScale('linear', 0, 1);

function Curves({ curves }: { readonly curves: readonly ShownCurve[] }) {
  const { styles } = useContents();
  const place = useRef<HTMLDivElement>(null);
  const width = Math.min(560, useWidth(place));
  const [at, setAt] = useState<number | null>(null);
  const box: PlotBox = useMemo(() => ({ left: 48, top: 8, width: Math.max(1, width - 64), height: height - 48 }), [width]);
  const ticks = valueTicks(unit);
  const across = (value: number): number => Math.round((box.left + value * box.width) * 10) / 10;
  const down = (value: number): number => Math.round((box.top + (1 - value) * box.height) * 10) / 10;
  const move = ({ clientX, currentTarget }: PointerEvent): void =>
    setAt((clientX - currentTarget.getBoundingClientRect().left - box.left) / box.width);
  return (
    <div className="curves">
      <div ref={place} className="curve-plot">
        {width > 0 && (
          <svg
            width={width}
            height={height}
            role="img"
            aria-label="Precision against recall"
            onPointerMove={move}
            onPointerLeave={() => setAt(null)}
          >
            <SvgAxes
              box={box}
              x={ticks.map((tick) => ({ ...tick, at: across(tick.value) }))}
              y={ticks.map((tick) => ({ ...tick, at: down(tick.value) }))}
            />
            <text className="axis-name" x={box.left + box.width} y={height - 4} textAnchor="end">
              recall →
            </text>
            <text className="axis-name" x={box.left + 8} y={box.top + box.height - 8}>
              precision ↑
            </text>
            {curves.map(({ run, curve }) => {
              const { color = 0, dash = 0 } = styles.get(run) ?? {};
              const d = drawnThresholds(curve)
                .map((i, order) => `${order === 0 ? 'M' : 'L'}${across(curve.recall[i]!)} ${down(curve.precision[i]!)}`)
                .join('');
              const found = at === null ? -1 : nearestThreshold(curve, at);
              return (
                <g key={run} className={`line c${color} d${dash}`}>
                  <path d={d} />
                  {found >= 0 && <circle cx={across(curve.recall[found]!)} cy={down(curve.precision[found]!)} r={4} />}
                </g>
              );
            })}
          </svg>
        )}
      </div>
      <table className="figures">
        <thead>
          <tr>
            <th>Run</th>
            <th className="number">Step</th>
            <th
              className="number"
              title="Average precision: the mean precision, weighted by the increase in recall, as scikit-learn defines it"
            >
              AP
            </th>
            <th className="number" title="Area under the precision-recall curve, by the trapezoidal rule">
              PR AUC
            </th>
            <th className="number">Threshold</th>
            <th className="number">Precision</th>
            <th className="number">Recall</th>
            <th className="number">TP</th>
            <th className="number">FP</th>
          </tr>
        </thead>
        <tbody>
          {curves.map(({ run, step, curve }) => {
            const index = nearestThreshold(curve, at ?? 0.5);
            const { averagePrecision, area } = areasOf(curve);
            return (
              <tr key={run}>
                <td>
                  <RunCaption run={run} />
                </td>
                <td className="number">{formatCount(step)}</td>
                <td className="number">{averagePrecision?.toFixed(4) ?? '–'}</td>
                <td className="number">{area?.toFixed(4) ?? '–'}</td>
                <td className="number">{(curve.recall.length < 2 ? 0 : index / (curve.recall.length - 1)).toFixed(3)}</td>
                <td className="number">{curve.precision[index]!.toFixed(4)}</td>
                <td className="number">{curve.recall[index]!.toFixed(4)}</td>
                <td className="number">{formatCount(curve.truePositives[index]!)}</td>
                <td className="number">{formatCount(curve.falsePositives[index]!)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
