import { useEffect, useRef, useState } from 'react';
import { formatCount, type ImageComparison } from '#charts';
import { runText } from '../../compare/compared-run.ts';
import { useMedia } from '../../app/theme.ts';
import { useWorld } from '../../experiment/experiment-context.ts';
import { RunCaption } from '../run-caption.tsx';
import type { BlobJson } from '../values.ts';
import { Animation } from './animation-controls.tsx';
import { isAnimation, isVideo } from './animations.ts';
import { differenceOf, type ImageDifference } from './image-difference.ts';
import { Picture, smallPixels } from './pictures.tsx';

/** One image, and where it comes from. */
export interface ShownImage {
  readonly run: string;
  readonly step: number | string;
  readonly blob: BlobJson;
}

/** One image, or two images: side by side, alternating, or as their difference. */
export function ImageStage({ images, comparison }: { readonly images: readonly ShownImage[]; readonly comparison: ImageComparison }) {
  const [first, second] = images;
  if (first && second && comparison === 'flicker') return <Flicker images={[first, second]} />;
  if (first && second && comparison === 'difference')
    return <Difference key={`${first.blob.key} ${second.blob.key}`} images={[first, second]} />;
  return (
    <div className="stage">
      {images.map((image, i) => (
        <figure key={i}>
          <Caption image={image} />
          {isAnimation(image.blob.content_type) ? (
            <Animation blob={image.blob} alt={altOf(image)} />
          ) : (
            <div className="canvas">
              <Picture key={image.blob.key} blob={image.blob} alt={altOf(image)} small={smallPixels.stage} hasControls />
            </div>
          )}
        </figure>
      ))}
    </div>
  );
}

function Caption({ image: { run, step } }: { readonly image: ShownImage }) {
  return (
    <figcaption>
      <RunCaption run={run}>step {formatCount(step)}</RunCaption>
    </figcaption>
  );
}

function altOf({ run, step }: ShownImage): string {
  return `${runText(run)}, step ${formatCount(step)}`;
}

type Pair = readonly [ShownImage, ShownImage];

/**
 * How long each of two alternating images is shown, which is slow enough not to count as flashing.
 */
const turnMs = 600;

/** Two images that alternate in the same place. */
function Flicker({ images }: { readonly images: Pair }) {
  const still = useMedia('(prefers-reduced-motion: reduce)');
  const [paused, setPaused] = useState<boolean | null>(null);
  const [at, setAt] = useState(0);
  const isPaused = paused ?? still;
  useEffect(() => {
    if (isPaused) return;
    const timer = setInterval(() => setAt((now) => 1 - now), turnMs);
    return () => clearInterval(timer);
  }, [isPaused]);
  return (
    <div className="stage">
      <figure>
        <div className="turns">
          {images.map((image, i) => (
            <span key={i} className={i === at ? 'turn on' : 'turn'}>
              <Caption image={image} />
            </span>
          ))}
          <button type="button" className="quiet" onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Resume' : 'Pause'}
          </button>
          <button
            type="button"
            className="quiet"
            onClick={() => {
              setPaused(true);
              setAt(1 - at);
            }}
          >
            Show other image
          </button>
        </div>
        <div className="canvas">
          {images.map((image, i) => (
            <span key={i} className={i === at ? 'layer' : 'layer off'}>
              <Picture key={image.blob.key} blob={image.blob} alt={altOf(image)} small={smallPixels.stage} />
            </span>
          ))}
        </div>
      </figure>
    </div>
  );
}

/** Maximum pixels in an image that is compared pixel by pixel. */
const maxPixels = 16_777_216;

/** The result of comparing two images, or why they cannot be compared. */
type Found = { readonly width: number; readonly height: number; readonly difference: ImageDifference } | { readonly problem: string };

function Difference({ images }: { readonly images: Pair }) {
  const { api } = useWorld();
  const [a, b] = images.map(({ blob }) => api.at(`/blobs/${blob.key}`)) as [string, string];
  const hasVideo = images.some(({ blob }) => isVideo(blob.content_type));
  const [found, setFound] = useState<Found | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isCurrent = true;
    const result = hasVideo ? Promise.resolve({ problem: 'Videos cannot be compared pixel by pixel.' }) : compare(a, b);
    void result.then((one) => isCurrent && setFound(one));
    return () => {
      isCurrent = false;
    };
  }, [a, b, hasVideo]);
  useEffect(() => {
    if (!found || 'problem' in found || !canvas.current) return;
    const { width, height, difference } = found;
    canvas.current.width = width;
    canvas.current.height = height;
    canvas.current.getContext('2d')!.putImageData(new ImageData(difference.rgba, width, height), 0, 0);
  }, [found]);
  const text = found && textOf(found);
  return (
    <div className="stage">
      <figure>
        <div className="turns">
          {images.map((image, i) => (
            <Caption key={i} image={image} />
          ))}
        </div>
        <p className="dim" role="status" aria-busy={found === null}>
          {text}
        </p>
        <div className="canvas">
          {found && !('problem' in found) && (
            <canvas
              ref={canvas}
              role="img"
              aria-label="Difference between the two images"
              className={Math.max(found.width, found.height) < smallPixels.stage ? 'pixelated' : undefined}
            />
          )}
        </div>
      </figure>
    </div>
  );
}

function textOf(found: Found): string {
  if ('problem' in found) return found.problem;
  const { width, height, difference } = found;
  if (difference.pixels === 0) return 'The images are identical.';
  const times = (255 / difference.largest).toPrecision(2);
  const brighter = times === '1.0' ? '' : ` Shown at ${times}× brightness.`;
  return (
    `${formatCount(difference.pixels)} of ${formatCount(width * height)} pixels differ. ` +
    `Mean difference ${difference.mean.toPrecision(3)} of 255, largest ${difference.largest}.${brighter}`
  );
}

async function compare(a: string, b: string): Promise<Found> {
  try {
    const [first, second] = await Promise.all([load(a), load(b)]);
    const { naturalWidth: width, naturalHeight: height } = first;
    if (width !== second.naturalWidth || height !== second.naturalHeight)
      return { problem: `The images have different sizes: ${sizeOf(first)} and ${sizeOf(second)} pixels.` };
    if (width * height > maxPixels) return { problem: `The images are too large to compare pixel by pixel: ${sizeOf(first)}.` };
    return { width, height, difference: differenceOf(pixelsOf(first), pixelsOf(second)) };
  } catch {
    return { problem: 'The images cannot be read.' };
  }
}

async function load(address: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = address;
  await image.decode();
  return image;
}

function sizeOf({ naturalWidth, naturalHeight }: HTMLImageElement): string {
  return `${formatCount(naturalWidth)} × ${formatCount(naturalHeight)}`;
}

function pixelsOf(image: HTMLImageElement): Uint8ClampedArray {
  const { naturalWidth: width, naturalHeight: height } = image;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, width, height).data;
}
