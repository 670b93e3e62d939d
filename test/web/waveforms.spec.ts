import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, stringTensor, tensorValue } from '#testing';
import { Site } from './browser.ts';
import { writeRun } from './logs.ts';

interface Clip {
  readonly rate: number;
  readonly channels: number;
  readonly bits: 8 | 16;
  readonly frames: number;
  /** -1 to 1. */
  readonly sample: (frame: number, channel: number) => number;
}

/** Returns an uncompressed sound; 8-bit samples are unsigned. */
function wave({ rate, channels, bits, frames, sample }: Clip): Buffer {
  const bytes = bits / 8;
  const head = Buffer.alloc(44);
  const size = frames * channels * bytes;
  head.write('RIFF');
  head.writeUInt32LE(36 + size, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * channels * bytes, 28);
  head.writeUInt16LE(channels * bytes, 32);
  head.writeUInt16LE(bits, 34);
  head.write('data', 36);
  head.writeUInt32LE(size, 40);
  const data = Buffer.alloc(size);
  for (let i = 0; i < frames * channels; i++) {
    const value = sample(Math.floor(i / channels), i % channels);
    if (bits === 8) data.writeUInt8(Math.round(128 + 127 * value), i);
    else data.writeInt16LE(Math.round(32_767 * value), 2 * i);
  }
  return Buffer.concat([head, data]);
}

const rate = 48_000; // that of the decoder, so that it does not resample
const usual: Clip = { rate, channels: 1, bits: 16, frames: rate, sample: () => 0 };
const clips: Readonly<Record<string, Clip>> = {
  silent: usual,
  // One channel is silent, the other has a single loud sample.
  stereo: { ...usual, channels: 2, sample: (frame, channel) => (channel === 1 && frame === 30_000 ? -0.75 : 0) },
  eight: { ...usual, bits: 8, sample: (frame) => (frame < rate / 2 ? 0.5 : 0) },
  long: { ...usual, rate: 8_000, frames: 8_000 * 300, sample: (frame) => (frame === 8_000 * 250 ? 1 : 0.25) },
  large: { ...usual, frames: 5 * 1024 * 1024 },
};

/** Returns the points of a drawn area. */
function pointsOf(path: string): (readonly [x: number, y: number])[] {
  return path
    .replace(/[MZ]/g, '')
    .split('L')
    .map((pair) => pair.split(' ').map(Number) as [number, number]);
}

describeWith(['chromium'], 'waveforms', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    await writeRun(site.folder('log'), 'a', [
      {
        step: 0,
        wallTime: 1_795_000_000,
        values: Object.entries(clips).map(([tag, clip]) => tensorValue(tag, 'audio', 'blob_sequence', stringTensor([wave(clip)]))),
      },
    ]);
    id = (await site.upload(site.folder('log'), '--name', 'sounds')).experiment_id;
  });
  afterAll(() => site?.close());

  it('show silent, stereo, 8-bit and long clips; a clip that is too large says so', { timeout: 90_000 }, async () => {
    const visit = await site.visit({ width: 1400, height: 900 });
    const { page } = visit;
    await visit.open(`/e/${id}?tab=audio&waveforms=true`);
    const drawn = async (tag: string) => {
      const article = page.getByRole('article', { name: tag, exact: true });
      await article.scrollIntoViewIfNeeded();
      const svg = article.locator('svg.waveform');
      await svg.waitFor();
      const points = pointsOf((await svg.locator('path.area').getAttribute('d'))!);
      return { label: await svg.getAttribute('aria-label'), ys: points.map(([, y]) => y), points };
    };
    // The middle, at 24 of 48 pixels, is zero.
    const silent = await drawn('silent');
    expect(silent.label).toBe('Waveform: 1.00 s, largest amplitude 0.000');
    expect(new Set(silent.ys)).toEqual(new Set([24]));
    const stereo = await drawn('stereo');
    expect(stereo.label).toBe('Waveform: 1.00 s, largest amplitude 0.750');
    // One of 320 parts, at 5/8 of the width.
    expect(stereo.points.filter(([, y]) => y !== 24)).toEqual([[200.5, 42]]);
    const eight = await drawn('eight');
    expect(eight.label).toMatch(/^Waveform: 1\.00 s, largest amplitude 0\.(49|50)\d$/);
    for (const [x, y] of eight.points) expect([x, Math.round(y)]).toEqual([x, x < 160 ? 12 : 24]);
    const long = await drawn('long');
    expect(long.label).toMatch(/^Waveform: 300\.00 s, largest amplitude (1\.0|0\.9)\d*$/);
    // The single loud sample is visible after resampling, in the part for second 250.
    const [top] = long.points.toSorted(([, a], [, b]) => a - b);
    expect(Math.abs(top![0] - (250 / 300) * 320)).toBeLessThan(1.5);
    const large = page.getByRole('article', { name: 'large', exact: true });
    await large.scrollIntoViewIfNeeded();
    await large.getByText('No waveform: the clip is too large.').waitFor();
    expect(await large.locator('svg.waveform').count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });
});
