import type { Locator } from 'playwright-core';
import { visibleText } from '#charts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, numberTensor, tensorValue } from '#testing';
import { Site, type Visit } from './browser.ts';
import { writeRun } from './logs.ts';
import { violations } from './violations.ts';

const attack = '"><img src=x onerror=alert(1)>\u202e';

/** Returns a square in the plane z = 0 around the origin, as two triangles. */
const square = (half: number) => [-half, -half, 0, half, -half, 0, half, half, 0, -half, half, 0];
const faces = [0, 1, 2, 0, 2, 3];

function values(name: string, vertices: number[], corners: number[] | null, colors: number[] | null): Uint8Array[] {
  const part = (end: string, numbers: number[]) =>
    tensorValue(`${name}_${end}`, 'mesh', 'tensor', numberTensor([1, numbers.length / 3, 3], Float64Array.from(numbers)));
  return [part('VERTEX', vertices), ...(corners ? [part('FACE', corners)] : []), ...(colors ? [part('COLOR', colors)] : [])];
}

type Point = readonly [number, number, number];
const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Point, b: Point): Point => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a: Point): Point => a.map((one) => one / Math.hypot(...a)) as unknown as Point;

/**
 * Where a camera with a vertical field of view of 40° sees a point, in pixels: the pinhole projection
 * onto an image of this size. It looks at the origin.
 */
function project(point: Point, from: Point, width: number, height: number): readonly [number, number] {
  const forward = unit(minus([0, 0, 0], from));
  const right = unit(cross(forward, [0, 1, 0]));
  const up = cross(right, forward);
  const seen = minus(point, from);
  const focal = height / 2 / Math.tan((20 * Math.PI) / 180);
  const depth = dot(seen, forward);
  return [width / 2 + (focal * dot(seen, right)) / depth, height / 2 - (focal * dot(seen, up)) / depth];
}

interface Drawn {
  readonly width: number;
  readonly height: number;
  /** The pixels that are drawn: left, top, right, bottom. */
  readonly box: readonly number[];
  /** The color of the image's middle pixel. */
  readonly color: readonly number[];
  readonly count: number;
}

/** What a canvas shows. */
function drawnOn(canvas: Locator): Promise<Drawn> {
  return canvas.evaluate((drawn) => {
    const { width, height } = drawn;
    const { data } = drawn.getContext('2d')!.getImageData(0, 0, width, height);
    const box = [width, height, -1, -1];
    let count = 0;
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        if (data[4 * (y * width + x) + 3]! > 127) {
          count++;
          box.splice(0, 4, Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y));
        }
    const middle = 4 * ((height >> 1) * width + (width >> 1));
    return { width, height, box, count, color: Array.from<number>(data.slice(middle, middle + 3)) };
  });
}

/** Faults, except the browser's remarks on slow pixel reads, which the test causes. */
function faultsOf({ faults }: Visit): string[] {
  return faults.filter((fault) => !/GPU stall due to ReadPixels|Multiple readback operations/.test(fault));
}

describeWith(['chromium'], 'meshes', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    const red = [255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0];
    await writeRun(
      site.folder('log'),
      'a',
      [0, 1, 2].map((step) => ({
        step,
        wallTime: 1_795_255_000 + step,
        values: [
          // Faces and colors once, as they do not change.
          ...values('shape/square', square(1 + step), step === 0 ? faces : null, step === 0 ? red : null),
          ...values('cloud', [-1, -1, 0, 1, 1, 0, Number.NaN, 0, 0], null, null),
        ],
      })),
    );
    await writeRun(site.folder('log'), 'b', [{ step: 0, values: values('shape/square', square(1), faces, null) }]);
    await writeRun(site.folder('log'), attack, [{ step: 0, values: values(attack, [0, 0, 0], [0, 1, 2], null) }]);
    id = (await site.upload(site.folder('log'), '--name', 'meshes')).experiment_id;
  });
  afterAll(() => site?.close());

  it('are drawn in perspective with their colors, all runs from one point of view', async () => {
    const visit = await site.visit({ width: 1600, height: 1_000 });
    const { page } = visit;
    await visit.open(`/e/${id}?step=0&tagFilter=square`);
    await page.getByRole('link', { name: 'Meshes', exact: true }).click();
    await page.waitForURL(/tab=meshes/);
    const card = (run: string) => page.getByRole('region', { name: `shape/square, ${run}` });
    const canvas = (run: string) => card(run).locator('canvas');
    await card('a').getByText('4 vertices, 2 faces').waitFor();
    // The largest square, at step 2, fits into the image.
    const distance = (1.05 * 3 * Math.SQRT2) / Math.sin((20 * Math.PI) / 180);
    const from: Point = [0.35 * distance, 0.3 * distance, 0.885 * distance];
    const expectSquare = async (run: string, half: number): Promise<void> => {
      await expect
        .poll(async () => {
          const { width, height, box, count } = await drawnOn(canvas(run));
          const seen = [0, 1, 2, 3].map((i) => project(square(half).slice(3 * i, 3 * i + 3) as unknown as Point, from, width, height));
          const [xs, ys] = [seen.map(([x]) => x), seen.map(([, y]) => y)];
          const expected = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
          return count > 0 && box.every((edge, i) => Math.abs(edge - expected[i]!) <= 2);
        })
        .toBe(true);
    };
    await expectSquare('a', 1);
    await expectSquare('b', 1);
    // The logged color, shaded
    const [r, g, b] = (await drawnOn(canvas('a'))).color;
    expect([r! > 80, g, b]).toEqual([true, 0, 0]);

    const before = await Promise.all([drawnOn(canvas('a')), drawnOn(canvas('b'))]);
    await card('a').getByRole('application').focus();
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight');
    // 45°: the square is narrower in both.
    for (const [i, run] of ['a', 'b'].entries())
      await expect.poll(async () => (await drawnOn(canvas(run))).count).toBeLessThan(0.95 * before[i]!.count);
    const turned = await drawnOn(canvas('a'));
    await page.keyboard.press('+');
    await expect.poll(async () => (await drawnOn(canvas('a'))).count).toBeGreaterThan(turned.count);
    await page.keyboard.press('Escape');
    await expect.poll(() => drawnOn(canvas('a'))).toEqual(before[0]);
    const at = (await canvas('b').boundingBox())!;
    await page.mouse.move(at.x + 100, at.y + 150);
    await page.mouse.down();
    await page.mouse.move(at.x + 180, at.y + 150, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await drawnOn(canvas('a'))).count).not.toBe(before[0].count);
    await page.getByRole('article', { name: 'shape/square' }).getByRole('button', { name: 'Reset view' }).click();
    await expect.poll(() => drawnOn(canvas('a'))).toEqual(before[0]);

    // Another step has other vertices, and the faces and colors of the last step that logged them.
    await card('a').getByLabel('Step of shape/square').fill('1');
    await page.waitForURL(/step=1/);
    await expect.poll(async () => (await drawnOn(canvas('a'))).color.slice(1)).toEqual([0, 0]);
    await expectSquare('a', 2);
    await expectSquare('b', 1);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    expect(faultsOf(visit)).toEqual([]);
  });

  it('say what is left out, and are safe whatever the names are', async () => {
    for (const width of [1400, 390]) {
      const visit = await site.visit({ width, height: 900 });
      const { page } = visit;
      await visit.open(`/e/${id}?tab=meshes`);
      const cloud = page.getByRole('region', { name: 'cloud, a' });
      await cloud.getByText('2 points').waitFor();
      await cloud.getByText('Omitted: 1 vertex with non-finite coordinates.').waitFor();
      await expect.poll(async () => (await drawnOn(cloud.locator('canvas'))).count).toBeGreaterThan(1);
      const hostile = page.getByRole('region', { name: visibleText(attack) });
      await hostile.scrollIntoViewIfNeeded();
      await hostile.getByText('Omitted: 1 face with vertices that do not exist or are omitted.').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await violations(visit)).toEqual([]);
      expect(faultsOf(visit)).toEqual([]);
    }
  });

  it('say so if the browser has no WebGL', async () => {
    const visit = await site.visit();
    await visit.page.addInitScript(`
      const get = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return /webgl/.test(kind) ? null : get.call(this, kind, ...rest); };
    `);
    await visit.open(`/e/${id}?tab=meshes`);
    await visit.page.getByText('This browser cannot draw meshes: WebGL is disabled or unavailable.').first().waitFor();
  });
});
