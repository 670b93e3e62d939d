import { useEffect, useRef, useState } from 'react';
import { useWorld } from '../../experiment/experiment-context.ts';
import { type BlobJson, type BlobSeries, indexAt, useBlobs } from '../values.ts';
import { isAnimation, isVideo, noteAnimation, usePlaying } from './animations.ts';

/** A point in a series of images. */
export type ImagePoint = BlobSeries['points'][number];

/** Maximum points per run. */
const points = 500;

/** The images of a tag in the shown runs. */
export function useImages(tag: string) {
  return useBlobs({ tag, plugin: 'images', points });
}

/** The point to show at `step`; undefined if the series has no points. */
export function imagePointAt(series: BlobSeries, step: number | null): ImagePoint | undefined {
  const steps = series.points.map((point) => point.step);
  return series.points[indexAt(steps, step)];
}

/**
 * Blobs 0 and 1 are the width and height as text, for compatibility with TensorBoard data. Blobs
 * that are neither images nor videos are not drawn.
 */
export function picturesOf(point: ImagePoint): BlobJson[] {
  return point.blobs.filter(({ index, content_type: type }) => index >= 2 && (type.startsWith('image/') || isVideo(type)));
}

/** Smaller images are scaled up without interpolation, both in lists and in full screen. */
export const smallPixels = { card: 128, stage: 512 } as const;

interface PictureProps {
  readonly blob: Pick<BlobJson, 'key' | 'content_type'>;
  readonly alt: string;
  /** Images with at least this many pixels are interpolated. */
  readonly small?: number;
  /** Whether a video shows the browser's controls. */
  readonly hasControls?: boolean;
  /** Called with the ratio of height to width. */
  readonly onShape?: (shape: number) => void;
}

export function Picture({ blob, alt, small = smallPixels.card, hasControls = false, onShape }: PictureProps) {
  const { api } = useWorld();
  const [isSmall, setIsSmall] = useState(false);
  const [isPlaying] = usePlaying();
  const isClip = isVideo(blob.content_type);
  const isMoving = isAnimation(blob.content_type);
  useEffect(() => {
    if (isMoving || isClip) noteAnimation();
  }, [isMoving, isClip]);
  const onSize = (width: number, height: number): void => {
    setIsSmall(width < small && height < small);
    if (width > 0 && height > 0) onShape?.(height / width);
  };
  const onLoad = ({ naturalWidth: width, naturalHeight: height }: HTMLImageElement): void => onSize(width, height);
  const src = api.at(`/blobs/${blob.key}`);
  const className = isSmall ? 'pixelated' : undefined;
  if (isClip) return <Clip src={src} alt={alt} className={className} hasControls={hasControls} onSize={onSize} />;
  if (isMoving && !isPlaying) return <FirstFrame src={src} alt={alt} className={className} onLoad={onLoad} />;
  return <img src={src} alt={alt} loading="lazy" className={className} onLoad={({ currentTarget }) => onLoad(currentTarget)} />;
}

interface ClipProps {
  readonly src: string;
  readonly alt: string;
  readonly className: string | undefined;
  readonly hasControls: boolean;
  readonly onSize: (width: number, height: number) => void;
}

/** A silent video that loops like a GIF. */
function Clip({ src, alt, className, hasControls, onSize }: ClipProps) {
  const video = useRef<HTMLVideoElement>(null);
  const [isPlaying] = usePlaying();
  useEffect(() => {
    // The browser may block playback, or the video may be removed before it starts
    if (isPlaying) video.current?.play().catch(() => undefined);
    else video.current?.pause();
  }, [isPlaying, src]);
  return (
    <video
      ref={video}
      src={src}
      aria-label={alt}
      className={className}
      controls={hasControls}
      muted
      loop
      playsInline
      preload="metadata"
      onLoadedMetadata={({ currentTarget }) => onSize(currentTarget.videoWidth, currentTarget.videoHeight)}
    />
  );
}

interface FirstFrameProps {
  readonly src: string;
  readonly alt: string;
  readonly className: string | undefined;
  readonly onLoad: (image: HTMLImageElement) => void;
}

/** A paused animation. */
function FirstFrame({ src, alt, className, onLoad }: FirstFrameProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const loaded = useRef(onLoad);
  loaded.current = onLoad;
  useEffect(() => {
    const image = new Image();
    image.onload = () => {
      if (!canvas.current) return;
      Object.assign(canvas.current, { width: image.naturalWidth, height: image.naturalHeight });
      canvas.current.getContext('2d')!.drawImage(image, 0, 0);
      loaded.current(image);
    };
    image.src = src;
    return () => {
      image.onload = null;
    };
  }, [src]);
  return <canvas ref={canvas} role="img" aria-label={alt} className={className} />;
}
