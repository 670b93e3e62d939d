import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { formatCount } from '#charts';
import { useWorld } from '../../experiment/experiment-context.ts';
import type { BlobJson } from '../values.ts';
import { usePlaying } from './animations.ts';
import { Picture, smallPixels } from './pictures.tsx';

/** Maximum size, in bytes, of an animation whose frames are counted and shown one by one. */
const maxBytes = 32 * 1024 * 1024;

/** The content of an animation, as decoded by the browser. */
interface Frames {
  readonly count: number;
  readonly width: number;
  readonly height: number;
  /** Draws a frame. */
  draw(canvas: HTMLCanvasElement, index: number): Promise<void>;
}

/** Returns null if the browser has no image decoder, or if the page was not loaded over HTTPS. */
async function framesOf(bytes: Uint8Array, type: string): Promise<Frames | null> {
  if (!('ImageDecoder' in globalThis)) return null;
  const decoder = new ImageDecoder({ data: bytes.slice().buffer, type });
  await decoder.completed;
  const { image: first } = await decoder.decode({ frameIndex: 0 });
  const { displayWidth: width, displayHeight: height } = first;
  first.close();
  return {
    count: decoder.tracks.selectedTrack?.frameCount ?? 1,
    width,
    height,
    draw: async (canvas, index) => {
      const { image } = await decoder.decode({ frameIndex: index });
      Object.assign(canvas, { width, height });
      canvas.getContext('2d')!.drawImage(image, 0, 0);
      image.close();
    },
  };
}

/**
 * The frames of an animation. Undefined while they are loading; null if the browser cannot decode
 * them.
 */
function useFrames(blob: BlobJson): Frames | null | undefined {
  const { api } = useWorld();
  const canRead = api.canReadBlobs && blob.bytes <= maxBytes;
  const { data, isError } = useQuery({
    queryKey: ['frames', blob.key],
    queryFn: async ({ signal }) => framesOf(await api.bytes(`/blobs/${blob.key}`, signal), blob.content_type),
    enabled: canRead,
    staleTime: Infinity,
    gcTime: 10_000,
    retry: false,
  });
  return canRead && !isError ? data : null;
}

interface AnimationProps {
  readonly blob: BlobJson;
  readonly alt: string;
}

/** An animation in full screen. It plays, or a slider selects the frame to show. */
export function Animation({ blob, alt }: AnimationProps) {
  const [isPlaying, play] = usePlaying();
  const frames = useFrames(blob);
  const [at, setAt] = useState(0);
  const index = Math.min(at, (frames?.count ?? 1) - 1);
  return (
    <>
      <div className="animation">
        <button type="button" className="quiet" onClick={() => play(!isPlaying)}>
          {isPlaying ? 'Pause' : 'Play'}
        </button>
        {frames && !isPlaying && frames.count > 1 && (
          <input
            type="range"
            min={0}
            max={frames.count - 1}
            value={index}
            aria-label={`Frame of ${alt}`}
            aria-valuetext={`frame ${index + 1} of ${frames.count}`}
            onChange={({ target }) => setAt(Number(target.value))}
          />
        )}
        {frames && (
          <span className="dim">
            {isPlaying ? formatCount(frames.count) : `frame ${formatCount(index + 1)} of ${formatCount(frames.count)}`}
            {isPlaying && (frames.count === 1 ? ' frame' : ' frames')}, {frames.width} × {frames.height} pixels
          </span>
        )}
      </div>
      <div className="canvas">
        {frames && !isPlaying ? (
          <Frame key={blob.key} frames={frames} index={index} alt={alt} />
        ) : (
          <Picture key={blob.key} blob={blob} alt={alt} small={smallPixels.stage} />
        )}
      </div>
    </>
  );
}

function Frame({ frames, index, alt }: { readonly frames: Frames; readonly index: number; readonly alt: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    // A slow frame must not replace a later one
    let isCurrent = true;
    const drawn = document.createElement('canvas');
    void frames.draw(drawn, index).then(() => {
      if (!isCurrent || !canvas.current) return;
      Object.assign(canvas.current, { width: drawn.width, height: drawn.height });
      canvas.current.getContext('2d')!.drawImage(drawn, 0, 0);
    });
    return () => {
      isCurrent = false;
    };
  }, [frames, index]);
  const isSmall = frames.width < smallPixels.stage && frames.height < smallPixels.stage;
  return <canvas ref={canvas} role="img" aria-label={alt} className={isSmall ? 'pixelated' : undefined} />;
}
