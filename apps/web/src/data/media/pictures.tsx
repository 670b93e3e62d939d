import { useState } from 'react';
import { useWorld } from '../../experiment/experiment-context.ts';
import { type BlobJson, type BlobSeries, indexAt, useBlobs } from '../values.ts';

/** A point of a series of images. */
export type ImagePoint = BlobSeries['points'][number];

/** Maximum points per run. */
const points = 500;

/** The images of a tag, of the shown runs. */
export function useImages(tag: string) {
  return useBlobs({ tag, plugin: 'images', points });
}

/** The point to show at `step`; undefined if there are none. */
export function imagePointAt(series: BlobSeries, step: number | null): ImagePoint | undefined {
  const steps = series.points.map((point) => point.step);
  return series.points[indexAt(steps, step)];
}

/**
 * Blobs 0 and 1 are width and height as text (compatible with TensorBoard data); blobs that are
 * not images are not shown as such.
 */
export function picturesOf(point: ImagePoint): BlobJson[] {
  return point.blobs.filter(({ index, content_type: type }) => index >= 2 && type.startsWith('image/'));
}

/** Smaller ones are scaled up without interpolation: among others, and in full screen. */
export const smallPixels = { card: 128, stage: 512 } as const;

interface PictureProps {
  readonly blobKey: string;
  readonly alt: string;
  /** From how many pixels on an image is interpolated. */
  readonly small?: number;
  /** Called with height / width. */
  readonly onShape?: (shape: number) => void;
}

export function Picture({ blobKey, alt, small = smallPixels.card, onShape }: PictureProps) {
  const { api } = useWorld();
  const [isSmall, setIsSmall] = useState(false);
  return (
    <img
      src={api.at(`/blobs/${blobKey}`)}
      alt={alt}
      loading="lazy"
      className={isSmall ? 'pixelated' : undefined}
      onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => {
        setIsSmall(width < small && height < small);
        if (width > 0 && height > 0) onShape?.(height / width);
      }}
    />
  );
}
