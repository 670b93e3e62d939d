import { formatCount, visibleText } from '#charts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { RunCaption } from '../run-caption.tsx';
import { StateNote } from '../state-note.tsx';
import { StepSlider, stepsOf } from '../step-slider.tsx';
import { TagHead } from '../tag-head.tsx';
import { TagSections } from '../tag-sections.tsx';
import { indexAt, useBlobs } from '../values.ts';

/** Audio clips of all runs at one step. */
export default function AudioPanel() {
  return (
    <TagSections
      tab="audio"
      section={(tag) => (
        <Near height={120}>
          <AudioTag tag={tag} />
        </Near>
      )}
    />
  );
}

function AudioTag({ tag }: { readonly tag: string }) {
  const { api } = useWorld();
  const { series, ...state } = useBlobs({ tag, plugin: 'audio', points: 500 });
  const step = useView((view) => view.step);
  return (
    <article className="values" aria-label={visibleText(tag)}>
      <TagHead tag={tag}>
        <StepSlider steps={stepsOf(series.map((one) => one.points.map((point) => point.step)))} label={visibleText(tag)} />
      </TagHead>
      <StateNote {...state} empty={series.length === 0} />
      {series.map((one) => {
        const point =
          one.points[
            indexAt(
              one.points.map((each) => each.step),
              step,
            )
          ];
        const clips = point?.blobs.filter(({ content_type: type }) => type.startsWith('audio/')) ?? [];
        return (
          <div key={one.run} className="clips">
            <RunCaption run={one.run}>{point && `step ${formatCount(point.step)}`}</RunCaption>
            {clips.length === 0 && <span className="dim">No audio at this step</span>}
            {clips.map((clip) => (
              <audio
                key={clip.key}
                controls
                preload="none"
                src={api.at(`/blobs/${clip.key}`)}
                aria-label={`${visibleText(tag)}, ${visibleText(one.run)}`}
              />
            ))}
          </div>
        );
      })}
    </article>
  );
}
