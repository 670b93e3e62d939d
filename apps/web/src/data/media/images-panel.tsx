import { type CSSProperties, useCallback, useState } from 'react';
import { formatCount, type ImageForm, imageForms, imageSizeRange, plainView, visibleText } from '#charts';
import { Boundary } from '../../app/boundary.tsx';
import { narrowQuery, useMedia } from '../../app/theme.ts';
import { inAddress, runText } from '../../compare/compared-run.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { RunCaption } from '../run-caption.tsx';
import { StateNote } from '../state-note.tsx';
import { StepSlider, stepsOf } from '../step-slider.tsx';
import { TagHead } from '../tag-head.tsx';
import { TagSections } from '../tag-sections.tsx';
import { type BlobSeries, indexAt } from '../values.ts';
import { useHasAnimations, usePlaying } from './animations.ts';
import { ImageDialog } from './image-dialog.tsx';
import { ImageGrid } from './image-grid.tsx';
import { imagePointAt, Picture, picturesOf, useImages } from './pictures.tsx';

/** Images of all runs side by side, at one step or at all steps. */
export default function ImagesPanel() {
  const image = useView((view) => view.image);
  return (
    <>
      <TagSections
        tab="images"
        controls={<Controls />}
        section={(tag) => (
          <Near height={260}>
            <ImageTag tag={tag} />
          </Near>
        )}
      />
      {image && (
        <Boundary what={visibleText(image.tag)}>
          <ImageDialog image={image} />
        </Boundary>
      )}
    </>
  );
}

const formNames: Readonly<Record<ImageForm, string>> = { step: 'One step', grid: 'Run × step' };

function Controls() {
  const { view } = useWorld();
  const form = useView((all) => all.imageForm);
  const size = useView((all) => all.imageSize);
  const hasAnimations = useHasAnimations();
  const [isPlaying, play] = usePlaying();
  return (
    <>
      <fieldset className="segments">
        <legend>Arrangement of images</legend>
        {imageForms.map((one) => (
          <label key={one}>
            <input type="radio" name="images" checked={one === form} onChange={() => changeView(view, { imageForm: one })} />
            <span>{formNames[one]}</span>
          </label>
        ))}
      </fieldset>
      <label className="choice">
        Size
        <input
          type="range"
          min={imageSizeRange.min}
          max={imageSizeRange.max}
          step={16}
          value={size}
          aria-label="Image size"
          aria-valuetext={`${size} pixels`}
          onChange={({ target }) => changeView(view, { imageSize: Number(target.value) })}
        />
      </label>
      {hasAnimations && (
        <label className="choice">
          <input type="checkbox" checked={isPlaying} onChange={({ target }) => play(target.checked)} />
          Play animations
        </label>
      )}
    </>
  );
}

/**
 * Image width on a phone, in pixels, unless another size is chosen: two images fit side by side.
 */
const narrowSize = 168;

/** Limits for the height of an image, relative to its width. Taller images become narrower. */
const shapes = { min: 0.2, max: 1.5 } as const;

function ImageTag({ tag }: { readonly tag: string }) {
  const { view } = useWorld();
  const { compared } = useContents();
  const { series, ...state } = useImages(tag);
  const form = useView((all) => all.imageForm);
  const chosen = useView((all) => all.imageSize);
  const narrow = useMedia(narrowQuery);
  const size = narrow && chosen === plainView.imageSize ? narrowSize : chosen;
  // All images of a tag are shown in boxes with the shape of the first image that loads
  const [shape, setShape] = useState<number | null>(null);
  const onShape = useCallback((loaded: number) => setShape((known) => known ?? Math.min(shapes.max, Math.max(shapes.min, loaded))), []);
  const steps = stepsOf(series.map((one) => one.points.map((point) => point.step)));
  const onOpen = (run: string, index: number): void => changeView(view, { image: { tag, run: inAddress([run], compared)[0]!, index } });
  const style = { '--image-width': `${size}px`, '--image-shape': 1 / (shape ?? 1) } as CSSProperties;
  return (
    <article className="values" aria-label={visibleText(tag)} style={style}>
      <TagHead tag={tag}>
        <StepSlider steps={steps} label={visibleText(tag)} />
      </TagHead>
      <StateNote {...state} empty={series.length === 0} />
      {form === 'grid' ? (
        series.length > 0 && <ImageGrid tag={tag} series={series} steps={steps} width={size} onOpen={onOpen} onShape={onShape} />
      ) : (
        <div className="pictures">
          {series.map((one) => (
            <Pictures key={one.run} series={one} steps={steps} onOpen={(index) => onOpen(one.run, index)} onShape={onShape} />
          ))}
        </div>
      )}
    </article>
  );
}

/** Maximum images of a batch to show at a time. */
const maxOfBatch = 12;

interface PicturesProps {
  readonly series: BlobSeries;
  /** The steps of all runs. */
  readonly steps: readonly number[];
  readonly onOpen: (index: number) => void;
  readonly onShape: (shape: number) => void;
}

function Pictures({ series, steps, onOpen, onShape }: PicturesProps) {
  const step = useView((view) => view.step);
  const point = imagePointAt(series, step);
  if (!point) return null;
  const pictures = picturesOf(point);
  const label = `Enlarge ${runText(series.run)}, step ${formatCount(point.step)}`;
  const notes = [
    // The slider shows the step of most runs, so captions omit it: names need the space
    ...(Number(point.step) === steps[indexAt(steps, step)] ? [] : [`step ${formatCount(point.step)}`]),
    ...(pictures.length > maxOfBatch ? [`${maxOfBatch} of ${pictures.length}`] : []),
  ];
  return (
    <figure className={pictures.length > 1 ? 'picture-set several' : 'picture-set'}>
      <figcaption>
        <RunCaption run={series.run}>{notes.length > 0 ? notes.join(' · ') : undefined}</RunCaption>
      </figcaption>
      <div className="batch">
        {pictures.length === 0 && <p className="dim no-picture">No image at this step</p>}
        {pictures.slice(0, maxOfBatch).map((blob, i) => (
          <button
            key={blob.index}
            type="button"
            className="picture"
            aria-label={pictures.length > 1 ? `${label}, ${i + 1} of ${pictures.length}` : label}
            onClick={() => onOpen(i)}
          >
            <Picture blob={blob} alt={`${visibleText(series.tag)}, ${runText(series.run)}, step ${point.step}`} onShape={onShape} />
          </button>
        ))}
      </div>
    </figure>
  );
}
