import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytesField, describeWith, joinBytes, stringField, varintField } from '#testing';
import { Site, type Visit } from './browser.ts';
import { writeRun } from './logs.ts';
import { violations } from './violations.ts';

const [width, height] = [16, 8];
const palette = [
  [200, 30, 40],
  [20, 160, 60],
  [30, 60, 210],
  [0, 0, 0],
] as const;

/** Returns a GIF that repeats; each frame has one palette color, for a tenth of a second. */
function gif(colors: readonly number[]): Uint8Array {
  const short = (value: number): number[] => [value & 255, value >> 8];
  const bytes = [...Buffer.from('GIF89a'), ...short(width), ...short(height), 0x91, 0, 0, ...palette.flat()];
  bytes.push(0x21, 0xff, 11, ...Buffer.from('NETSCAPE2.0'), 3, 1, 0, 0, 0);
  for (const color of colors) {
    bytes.push(0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, ...short(width), ...short(height), 0, 2);
    // Codes have 3 bits: with a clear code (4) before every two pixels, they never get longer.
    const codes = Array.from({ length: (width * height) / 2 }, () => [4, color, color]).flat();
    const packed: number[] = [];
    [...codes, 5].forEach((code, i) => {
      for (let bit = 0; bit < 3; bit++) {
        const at = 3 * i + bit;
        packed[at >> 3] = (packed[at >> 3] ?? 0) | (((code >> bit) & 1) << (at & 7));
      }
    });
    for (let at = 0; at < packed.length; at += 255) bytes.push(Math.min(255, packed.length - at), ...packed.slice(at, at + 255));
    bytes.push(0);
  }
  return Uint8Array.from([...bytes, 0x3b]);
}

/**
 * Returns an image as tensorboardX's `add_video` writes it: Value {tag 1, image 4 {height 1, width
 * 2, colorspace 3, encoded_image_string 4}}.
 */
function clip(tag: string, frames: Uint8Array): Uint8Array {
  const image = joinBytes(varintField(1, height), varintField(2, width), varintField(3, 3), bytesField(4, frames));
  return joinBytes(stringField(1, tag), bytesField(4, image));
}

describeWith(['chromium'], 'animations', () => {
  let site: Site;
  let id: string;
  const films = new Map<string, string>();

  beforeAll(async () => {
    site = await Site.start();
    await writeRun(site.folder('log'), 'run', [
      { step: 0, wallTime: 1_795_255_000, values: [clip('clip', gif([2, 1, 0]))] },
      { step: 1, wallTime: 1_795_255_001, values: [clip('clip', gif([0, 1, 2]))] },
    ]);
    await writeRun(site.folder('log'), 'still', [{ step: 1, wallTime: 1_795_255_001, values: [clip('clip', gif([1]))] }]);
    id = (await site.upload(site.folder('log'), '--name', 'video')).experiment_id;
    for (const kind of ['mp4', 'webm'] as const) {
      const film = await readFile(join(import.meta.dirname, '../data/clips', `clip.${kind}`));
      await writeRun(site.folder(kind), 'a', [
        { step: 0, wallTime: 1_795_255_000, values: [clip('film', film)] },
        { step: 1, wallTime: 1_795_255_001, values: [clip('film', film)] },
      ]);
      films.set(kind, (await site.upload(site.folder(kind), '--name', kind)).experiment_id);
    }
  });
  afterAll(() => site?.close());

  /** Returns the color of a canvas in the page, read from a copy; empty if it is not drawn yet. */
  const colorIn = ({ page }: Visit, selector: string) =>
    page.evaluate<number[]>(`(() => {
      const canvas = document.querySelector('${selector}');
      if (!canvas || canvas.width === 0) return [];
      const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      return [...copy.getImageData(3, 3, 1, 1).data.slice(0, 3)];
    })()`);

  it('play unless they are paused, and show frames one by one in full screen', async () => {
    const visit = await site.visit({ width: 1400, height: 900 });
    const { page } = visit;
    await visit.open(`/e/${id}?tab=images`);
    const pictures = page.locator('.picture');
    await expect.poll(() => pictures.locator('img').evaluateAll((list) => list.map((image) => image.naturalWidth))).toEqual([width, width]);
    const plays = page.getByLabel('Play animations');
    expect(await plays.isChecked()).toBe(true);
    await plays.uncheck();
    await expect.poll(() => colorIn(visit, '.picture canvas')).toEqual(palette[0]);
    expect(await pictures.locator('img').count()).toBe(0);
    expect(await violations(visit)).toEqual([]);
    await pictures.first().click();
    const dialog = page.getByRole('dialog', { name: 'clip' });
    await dialog.getByText(`frame 1 of 3, ${width} × ${height} pixels`).waitFor();
    for (const frame of [2, 1, 0]) {
      await dialog.getByLabel('Frame of run, step 1').fill(String(frame));
      await expect.poll(() => colorIn(visit, '.stage canvas')).toEqual(palette[frame]);
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    await dialog.getByRole('button', { name: 'Previous step' }).click();
    await expect.poll(() => colorIn(visit, '.stage canvas')).toEqual(palette[2]);
    await dialog.getByRole('button', { name: 'Play' }).click();
    await dialog.getByText(`3 frames, ${width} × ${height} pixels`).waitFor();
    await expect.poll(() => dialog.locator('.stage img').evaluate((image) => image.naturalWidth)).toBe(width);
    await dialog.getByRole('button', { name: 'Next run' }).click();
    await dialog.getByText('1 frame,').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('do not play for readers who prefer reduced motion, until they ask', async () => {
    const visit = await site.visit({ width: 1000, height: 844 });
    const { page } = visit;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await visit.open(`/e/${id}?tab=images&images=grid`);
    await expect.poll(() => colorIn(visit, '.picture canvas')).toEqual(palette[2]);
    expect(await page.locator('.picture img').count()).toBe(0);
    await page.getByLabel('Play animations').check();
    await page.locator('.picture img').first().waitFor();
    expect(await page.locator('.picture canvas').count()).toBe(0);
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  // Half a second of red, then half a second of blue, at 64 × 48 pixels
  it.each(['mp4', 'webm'])('are videos, too: %s', async (kind) => {
    const visit = await site.visit({ width: 1400, height: 900 });
    const { page } = visit;
    await visit.open(`/e/${films.get(kind)!}?tab=images`);
    const film = page.locator('.picture video');
    const isPaused = () => film.evaluate((video) => video.paused as boolean);
    await expect
      .poll(() => film.evaluate((video) => [video.videoWidth, video.videoHeight, video.muted, video.loop]))
      .toEqual([64, 48, true, true]);
    await expect.poll(isPaused).toBe(false);
    await page.getByLabel('Play animations').uncheck();
    await expect.poll(isPaused).toBe(true);
    await page.locator('.picture').first().click();
    const shown = page.getByRole('dialog', { name: 'film' }).locator('video');
    expect(await shown.evaluate((video) => video.controls as boolean)).toBe(true);
    for (const [seconds, main] of [
      [0.25, 0],
      [0.75, 2],
    ] as const) {
      await shown.evaluate((video, at) => {
        video.currentTime = at;
      }, seconds);
      const color = () =>
        page.evaluate<number[]>(`(() => {
          const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
          copy.drawImage(document.querySelector('.stage video'), 0, 0);
          return [...copy.getImageData(32, 24, 1, 1).data.slice(0, 3)];
        })()`);
      // Codecs change colors a little.
      await expect
        .poll(async () => (await color()).map((part) => Math.round(part / 255)))
        .toEqual([0, 1, 2].map((part) => (part === main ? 1 : 0)));
    }
    await page.getByRole('dialog').getByLabel('Compare with').selectOption('=a');
    await page.getByRole('radio', { name: 'Difference' }).check();
    await page.getByText('Videos cannot be compared pixel by pixel.').waitFor();
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });
});
