import { useState } from 'react';
import { formatCount, visibleText } from '#charts';
import { Icon } from '../../app/icons.tsx';
import { useModal } from '../../app/use-modal.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { RunCaption } from '../run-caption.tsx';
import { StateNote } from '../state-note.tsx';
import { StepSlider, stepsOf } from '../step-slider.tsx';
import { TagHead } from '../tag-head.tsx';
import { TagSections } from '../tag-sections.tsx';
import { type BlobSeries, indexAt, useBlobs } from '../values.ts';

/** Images of all runs side by side at one step. */
export default function ImagesPanel() {
  return (
    <TagSections
      tab="images"
      section={(tag) => (
        <Near height={260}>
          <ImageTag tag={tag} />
        </Near>
      )}
    />
  );
}

/** Maximum points per run. */
const points = 500;

function ImageTag({ tag }: { readonly tag: string }) {
  const { series, ...state } = useBlobs({ tag, plugin: 'images', points });
  const step = useView((view) => view.step);
  const [large, setLarge] = useState<string | null>(null);
  const steps = stepsOf(series.map((one) => one.points.map((point) => point.step)));
  return (
    <article className="values" aria-label={visibleText(tag)}>
      <TagHead tag={tag}>
        <StepSlider steps={steps} label={visibleText(tag)} />
      </TagHead>
      <StateNote {...state} empty={series.length === 0} />
      <div className="pictures">
        {series.map((one) => (
          <Pictures key={one.run} series={one} step={step} onOpen={() => setLarge(one.run)} />
        ))}
      </div>
      {large !== null && (
        <Enlarged
          tag={tag}
          series={series.find(({ run }) => run === large) ?? null}
          steps={steps}
          step={step}
          onClose={() => setLarge(null)}
        />
      )}
    </article>
  );
}

/** Maximum images of a batch shown at once. */
const mostOfBatch = 12;

function Pictures({ series, step, onOpen }: { readonly series: BlobSeries; readonly step: number | null; readonly onOpen: () => void }) {
  const point =
    series.points[
      indexAt(
        series.points.map((one) => one.step),
        step,
      )
    ];
  if (!point) return null;
  const pictures = picturesOf(point);
  return (
    <figure className="picture-set">
      <figcaption>
        <RunCaption run={series.run}>
          step {formatCount(point.step)}
          {pictures.length > mostOfBatch && ` · ${mostOfBatch} of ${pictures.length}`}
        </RunCaption>
      </figcaption>
      <div className="batch">
        {pictures.length === 0 && <p className="dim no-picture">No image at this step</p>}
        {pictures.slice(0, mostOfBatch).map((blob, i) => (
          <button key={blob.index} type="button" className="picture" aria-label={`Enlarge image ${i + 1}`} onClick={onOpen}>
            <Picture blobKey={blob.key} alt={`${visibleText(series.tag)}, ${visibleText(series.run)}, step ${point.step}`} />
          </button>
        ))}
      </div>
    </figure>
  );
}

/**
 * Blobs 0 and 1 are width and height as text (data compatibility of TensorBoard); blobs that are
 * not images are not shown as such.
 */
function picturesOf(point: BlobSeries['points'][number]) {
  return point.blobs.filter(({ index, content_type: type }) => index >= 2 && type.startsWith('image/'));
}

/** Smaller ones are scaled up without interpolation. */
const smallPixels = 128;

function Picture({ blobKey, alt }: { readonly blobKey: string; readonly alt: string }) {
  const { api } = useWorld();
  const [small, setSmall] = useState(false);
  return (
    <img
      src={api.at(`/blobs/${blobKey}`)}
      alt={alt}
      loading="lazy"
      className={small ? 'pixelated' : undefined}
      onLoad={({ currentTarget }) => setSmall(currentTarget.naturalWidth < smallPixels && currentTarget.naturalHeight < smallPixels)}
    />
  );
}

interface EnlargedProps {
  readonly tag: string;
  readonly series: BlobSeries | null;
  readonly steps: readonly number[];
  readonly step: number | null;
  readonly onClose: () => void;
}

/** One run's images at the size of the window, with the same slider. */
function Enlarged({ tag, series, steps, step, onClose }: EnlargedProps) {
  const dialog = useModal(onClose);
  const point =
    series?.points[
      indexAt(
        series.points.map((one) => one.step),
        step,
      )
    ];
  return (
    <dialog className="alone" ref={dialog} aria-label={visibleText(tag)}>
      <div className="enlarged">
        <TagHead tag={tag}>
          <StepSlider steps={steps} label={visibleText(tag)} />
        </TagHead>
        {series && point && (
          <>
            <RunCaption run={series.run}>step {formatCount(point.step)}</RunCaption>
            <div className="batch">
              {picturesOf(point).map((blob) => (
                <Picture key={blob.index} blobKey={blob.key} alt={`${visibleText(tag)}, step ${point.step}`} />
              ))}
            </div>
          </>
        )}
      </div>
      <button type="button" className="close" aria-label="Close" onClick={() => dialog.current?.close()}>
        <Icon name="close" />
      </button>
    </dialog>
  );
}
