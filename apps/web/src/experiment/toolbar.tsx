import { maxSmoothing, maxPanels, panelTags, panelText, type ScaleKind, scaleKinds, unzoomed, type View, xAxes } from '#charts';
import { scalarTags } from './card-rows.ts';
import { changeView } from './change-view.ts';
import { useContents, useView, useWorld } from './experiment-context.ts';
import { ChartSettings } from './chart-settings.tsx';
import { DownloadAll } from './download-all.tsx';
import { FormulaMenu } from './formula-menu.tsx';
import { ResetZoom } from './reset-zoom.tsx';
import { TagFilter } from './tag-filter.tsx';
import { XTagMenu } from './x-tag-menu.tsx';

type PlainAxis = (typeof xAxes)[number];

const axisNames: Readonly<Record<PlainAxis, string>> = { step: 'Step', relative: 'Relative', wall: 'Wall' };
const axisTitles: Readonly<Record<PlainAxis, string>> = {
  step: 'By step',
  relative: 'Time since the first point of a run',
  wall: 'By time of day',
};
const scaleNames: Readonly<Record<ScaleKind, string>> = { linear: 'linear', log: 'log', symlog: 'symlog' };

/** The common options of all charts: tags, x axis, and smoothing. */
export function Toolbar() {
  const { view, api } = useWorld();
  const { xAxis, xScale, yScale, tagFilter } = useView((all) => all);
  const change = (part: Partial<View>): void => changeView(view, part);
  return (
    <section className="toolbar" aria-label="Charts">
      <TagFilter text={tagFilter} onChange={(text) => change({ tagFilter: text })} />
      <MatchesPanel match={tagFilter} />
      <ResetZoom />
      <fieldset className="segments">
        <legend>Horizontal axis</legend>
        {xAxes.map((axis) => (
          <label key={axis} title={axisTitles[axis]}>
            <input type="radio" name="x-axis" checked={xAxis === axis} onChange={() => change({ xAxis: axis, range: null })} />
            <span>{axisNames[axis]}</span>
          </label>
        ))}
      </fieldset>
      <XTagMenu />
      <ScaleChoice name="x" kind={xScale} disabled={xAxis === 'wall'} onChange={(kind) => change({ xScale: kind })} />
      <ScaleChoice name="y" kind={yScale} disabled={false} onChange={(kind) => change({ yScale: kind, yRanges: unzoomed.yRanges })} />
      <Smoothing />
      {!api.isStored && <FormulaMenu />}
      <ChartSettings />
      {!api.isStored && <DownloadAll />}
    </section>
  );
}

/** A button that draws all tags that pass the filter in one chart. */
function MatchesPanel({ match }: { readonly match: string }) {
  const { view } = useWorld();
  const { tags } = useContents();
  const panels = useView((all) => all.panels);
  if (match === '' || panels.length >= maxPanels || panels.some((one) => panelText(one) === panelText({ match }))) return null;
  const { length } = panelTags({ match }, scalarTags(tags, ''));
  if (length < 2) return null;
  return (
    <button
      type="button"
      className="quiet"
      title="Draw all matching tags in one chart, above the others"
      onClick={() => changeView(view, { panels: [...panels, { match }], tagFilter: '' })}
    >
      Combine {length} charts
    </button>
  );
}

interface ScaleChoiceProps {
  readonly name: 'x' | 'y';
  readonly kind: ScaleKind;
  readonly disabled: boolean;
  readonly onChange: (kind: ScaleKind) => void;
}

function ScaleChoice({ name, kind, disabled, onChange }: ScaleChoiceProps) {
  return (
    <label className="choice">
      {name}
      <select
        value={disabled ? 'linear' : kind}
        disabled={disabled}
        aria-label={`${name.toUpperCase()}-axis scale`}
        onChange={({ target }) => onChange(target.value as ScaleKind)}
      >
        {scaleKinds.map((one) => (
          <option key={one} value={one}>
            {scaleNames[one]}
          </option>
        ))}
      </select>
    </label>
  );
}

function Smoothing() {
  const { view } = useWorld();
  const smoothing = useView((all) => all.smoothing);
  const set = (text: string): void => {
    const value = Number(text);
    if (text !== '' && Number.isFinite(value)) changeView(view, { smoothing: Math.min(maxSmoothing, Math.max(0, value)) });
  };
  return (
    <div className="choice smoothing" title="Weight of the past in the moving average; the logged line stays faintly visible">
      <label htmlFor="smoothing">Smoothing</label>
      <input
        id="smoothing"
        type="range"
        min={0}
        max={maxSmoothing}
        step={0.001}
        value={smoothing}
        onChange={({ target }) => set(target.value)}
      />
      <input
        type="number"
        min={0}
        max={maxSmoothing}
        step={0.05}
        value={smoothing}
        aria-label="Smoothing, as a number"
        onChange={({ target }) => set(target.value)}
      />
    </div>
  );
}
