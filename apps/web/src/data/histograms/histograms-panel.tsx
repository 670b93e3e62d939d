import { useRef } from 'react';
import { type HistogramForm, histogramForms, visibleText } from '#charts';
import { Boundary } from '../../app/boundary.tsx';
import { runText } from '../../compare/compared-run.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { StateNote } from '../state-note.tsx';
import { TagHead } from '../tag-head.tsx';
import { TagSections } from '../tag-sections.tsx';
import { type TensorSeries, useTensors } from '../values.ts';
import { histogramsOf } from './histogram.ts';
import { HistogramCard } from './histogram-card.tsx';
import { TagScale } from './tag-scale.ts';

const formNames: Readonly<Record<HistogramForm, string>> = { offset: 'Offset', overlay: 'Overlay', percentiles: 'Percentiles' };

/** Histograms over the steps, one card per run. */
export default function HistogramsPanel() {
  return (
    <TagSections
      tab="histograms"
      controls={<Forms />}
      section={(tag) => (
        <Near height={300}>
          <HistogramTag tag={tag} />
        </Near>
      )}
    />
  );
}

function Forms() {
  const { view } = useWorld();
  const chosen = useView(({ histograms }) => histograms);
  return (
    <fieldset className="segments">
      <legend>Histogram style</legend>
      {histogramForms.map((form) => (
        <label key={form}>
          <input type="radio" name="histograms" checked={form === chosen} onChange={() => changeView(view, { histograms: form })} />
          <span>{formNames[form]}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Maximum steps drawn per run, the number that TensorBoard keeps. */
const points = 50;

function HistogramTag({ tag }: { readonly tag: string }) {
  const { series, ...state } = useTensors({ tag, plugin: 'histograms', points });
  const scale = useScale(series);
  return (
    <article className="values" aria-label={visibleText(tag)}>
      <TagHead tag={tag} />
      <StateNote {...state} empty={series.length === 0} />
      <div className="card-row">
        {series.map((one) => (
          <Boundary key={one.run} what={runText(one.run)}>
            <HistogramCard series={one} scale={scale} />
          </Boundary>
        ))}
      </div>
    </article>
  );
}

/** The axes of the series, computed again only when the shown series change. */
function useScale(series: readonly TensorSeries[]): TagScale {
  const last = useRef<{ readonly of: readonly TensorSeries[]; readonly scale: TagScale }>(null);
  const known = last.current;
  if (known && known.of.length === series.length && series.every((one, i) => one === known.of[i])) return known.scale;
  const scale = new TagScale(series.map(histogramsOf));
  last.current = { of: series, scale };
  return scale;
}
