import { type HistogramForm, histogramForms, visibleText } from '#charts';
import { Boundary } from '../../app/boundary.tsx';
import { changeView } from '../../experiment/change-view.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { StateNote } from '../state-note.tsx';
import { TagHead } from '../tag-head.tsx';
import { TagSections } from '../tag-sections.tsx';
import { useTensors } from '../values.ts';
import { HistogramCard } from './histogram-card.tsx';

const formNames: Readonly<Record<HistogramForm, string>> = { offset: 'Offset', overlay: 'Overlay', percentiles: 'Percentiles' };

/** Histograms along the steps, one card a run. */
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
      <legend>How histograms are drawn</legend>
      {histogramForms.map((form) => (
        <label key={form}>
          <input type="radio" name="histograms" checked={form === chosen} onChange={() => changeView(view, { histograms: form })} />
          <span>{formNames[form]}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Steps of each run that are drawn: as TensorBoard keeps. */
const points = 50;

function HistogramTag({ tag }: { readonly tag: string }) {
  const { series, ...state } = useTensors({ tag, plugin: 'histograms', points });
  return (
    <article className="values" aria-label={visibleText(tag)}>
      <TagHead tag={tag} />
      <StateNote {...state} empty={series.length === 0} />
      <div className="card-row">
        {series.map((one) => (
          <Boundary key={one.run} what={visibleText(one.run)}>
            <HistogramCard series={one} />
          </Boundary>
        ))}
      </div>
    </article>
  );
}
