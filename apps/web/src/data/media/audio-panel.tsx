import { Suspense, useRef } from 'react';
import { formatCount, visibleText } from '#charts';
import { Boundary } from '../../app/boundary.tsx';
import { later } from '../../app/later.ts';
import { runText } from '../../compare/compared-run.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { RunCaption } from '../run-caption.tsx';
import { StateNote } from '../state-note.tsx';
import { StepSlider, stepsOf } from '../step-slider.tsx';
import { TagHead } from '../tag-head.tsx';
import { TagSections } from '../tag-sections.tsx';
import { type BlobJson, indexAt, useBlobs } from '../values.ts';

const Waveform = later(() => import('./waveform.tsx'));

/** Audio clips of all runs, at one step. */
export default function AudioPanel() {
  return (
    <TagSections
      tab="audio"
      controls={<Controls />}
      section={(tag) => (
        <Near height={120}>
          <AudioTag tag={tag} />
        </Near>
      )}
    />
  );
}

function Controls() {
  const { view, api } = useWorld();
  const waveforms = useView((all) => all.waveforms);
  if (!api.canReadBlobs) return null;
  return (
    <label className="choice">
      <input type="checkbox" checked={waveforms} onChange={() => changeView(view, { waveforms: !waveforms })} />
      Waveforms
    </label>
  );
}

interface ClipProps {
  readonly clip: BlobJson;
  readonly run: string;
  readonly label: string;
}

function Clip({ clip, run, label }: ClipProps) {
  const { api } = useWorld();
  const { styles } = useContents();
  const waveforms = useView((all) => all.waveforms);
  const player = useRef<HTMLAudioElement>(null);
  return (
    <span className="clip">
      {waveforms && api.canReadBlobs && (
        <Boundary what="The waveform">
          <Suspense fallback={<span className="waveform" aria-busy="true" />}>
            <Waveform clip={clip} style={styles.get(run)} player={player} />
          </Suspense>
        </Boundary>
      )}
      <audio ref={player} controls preload="none" src={api.at(`/blobs/${clip.key}`)} aria-label={label} />
    </span>
  );
}

function AudioTag({ tag }: { readonly tag: string }) {
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
              <Clip key={clip.key} clip={clip} run={one.run} label={`${visibleText(tag)}, ${runText(one.run)}`} />
            ))}
          </div>
        );
      })}
    </article>
  );
}
