import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, type RefObject, useEffect, useState } from 'react';
import type { RunStyle } from '#charts';
import { useWorld } from '../../experiment/experiment-context.ts';
import { type BlobJson } from '../values.ts';
import { type Peak, peaksOf } from './peaks.ts';

const width = 320;
const height = 48;

/**
 * Maximum size of clips to decode: decoding takes 4 bytes per sample, and a compressed clip can
 * have hundreds of times as many samples as bytes.
 */
function maxBytes({ content_type: type }: BlobJson): number {
  return type === 'audio/wav' ? 8 * 1024 * 1024 : 512 * 1024;
}

interface WaveformProps {
  readonly clip: BlobJson;
  readonly style: RunStyle | undefined;
  /** The player. The waveform shows its position, and a click on the waveform changes it. */
  readonly player: RefObject<HTMLAudioElement | null>;
}

/** The smallest and the largest samples of a clip over time, as decoded by the browser. */
export default function Waveform({ clip, style, player }: WaveformProps) {
  const { api } = useWorld();
  const { data, isError } = useQuery({
    queryKey: ['waveform', clip.key],
    queryFn: ({ signal }) => inTurn(async () => decode(await api.bytes(`/blobs/${clip.key}`, signal))),
    enabled: clip.bytes <= maxBytes(clip),
    staleTime: Infinity,
    retry: false,
  });
  const [at, setAt] = useState(0);
  useEffect(() => {
    const element = player.current;
    if (!element || !data) return;
    const follow = (): void => setAt(element.currentTime);
    element.addEventListener('timeupdate', follow);
    return () => element.removeEventListener('timeupdate', follow);
  }, [player, data]);
  if (clip.bytes > maxBytes(clip)) return <span className="dim">No waveform: the clip is too large.</span>;
  if (isError) return <span className="dim">No waveform: the clip could not be loaded or decoded.</span>;
  if (!data) return <span className="waveform" aria-busy="true" />;
  const { peaks, seconds } = data;
  const largest = peaks.reduce((limit, { min, max }) => Math.max(limit, -min, max), 0);
  const seek = ({ clientX, currentTarget }: PointerEvent): void => {
    const box = currentTarget.getBoundingClientRect();
    const to = Math.min(seconds, Math.max(0, ((clientX - box.left) / box.width) * seconds));
    setAt(to);
    if (!player.current) return;
    player.current.preload = 'auto'; // the player moves there once the clip has loaded
    player.current.currentTime = to;
  };
  const position = seconds > 0 ? (Math.min(at, seconds) / seconds) * width : 0;
  return (
    <svg
      className={`waveform line c${style?.color ?? 0}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Waveform: ${seconds.toFixed(2)} s, largest amplitude ${largest.toFixed(3)}`}
      onPointerDown={seek}
    >
      <path className="axis" d={`M0 ${height / 2}H${width}`} />
      <path className="area" d={pathOf(peaks)} />
      {at > 0 && <path className="position" d={`M${position} 0V${height}`} />}
    </svg>
  );
}

interface Decoded {
  readonly peaks: readonly Peak[];
  readonly seconds: number;
}

let last: Promise<unknown> = Promise.resolve();

/** Runs once all earlier calls have settled, so that only one clip at a time is in memory. */
function inTurn<T>(call: () => Promise<T>): Promise<T> {
  const result = last.then(call);
  last = result.catch(() => undefined);
  return result;
}

async function decode(bytes: Uint8Array): Promise<Decoded> {
  // The context only provides a sample rate; nothing is rendered
  const sound = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(bytes.slice().buffer);
  const channels = Array.from({ length: sound.numberOfChannels }, (_, i) => sound.getChannelData(i));
  return { peaks: peaksOf(channels, width), seconds: sound.duration };
}

/**
 * The area between the largest and the smallest sample of each part; 1 is the full height. The
 * outline is drawn too, because a slow wave has hardly any area.
 */
function pathOf(peaks: readonly Peak[]): string {
  const across = (part: number): string => (((part + 0.5) * width) / peaks.length).toFixed(1);
  const down = (sample: number): string => ((1 - Math.min(1, Math.max(-1, sample))) * (height / 2)).toFixed(1);
  const upper = peaks.map(({ max }, i) => `${across(i)} ${down(max)}`);
  const lower = peaks.map(({ min }, i) => `${across(i)} ${down(min)}`);
  return peaks.length === 0 ? '' : `M${[...upper, ...lower.toReversed()].join('L')}Z`;
}
