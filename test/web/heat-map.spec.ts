import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, type EventSpec } from '#testing';
import { Site, type Visit } from './browser.ts';
import { writeRun } from './logs.ts';
import { payloads } from './payloads.ts';
import { violations } from './violations.ts';

const layers = 12;
const steps = 40;
const start = 1_795_255_000;

/** Norms that span five orders of magnitude: exact in float32. */
const normOf = (layer: number, step: number): number => Math.fround(10 ** ((layer * 5) / layers - 2) * (1 + (step % 8) / 8));
const tagOf = (layer: number): string => `layers.${layer}/grad_norm`;
const pattern = 'layers.*/grad_norm';

const panel = (one: object): string => `panel=${encodeURIComponent(JSON.stringify(one))}`;

interface Drawn {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of a canvas pixel. */
  at(x: number, y: number): readonly number[];
}

describeWith(['chromium'], 'heat maps', () => {
  let site: Site;
  let id: string;
  let oddId: string;
  let longId: string;

  beforeAll(async () => {
    site = await Site.start();
    const events = (factor: number): EventSpec[] =>
      Array.from({ length: steps }, (_, step) => ({
        step,
        wallTime: start + step,
        scalars: Object.fromEntries(Array.from({ length: layers }, (_one, layer) => [tagOf(layer), factor * normOf(layer, step)])),
      }));
    await writeRun(site.folder('log'), 'first', events(1));
    await writeRun(
      site.folder('log'),
      'second',
      events(-1).map((event) => ({ ...event, wallTime: event.wallTime! + 100 })),
    );
    id = (await site.upload(site.folder('log'), '--name', 'layers')).experiment_id;

    // Blocks of 2,000 steps with one value, one spike, one NaN, and a layer that starts late.
    await writeRun(
      site.folder('long'),
      'run',
      Array.from({ length: 20_000 }, (_, step) => ({
        step,
        wallTime: start + step,
        scalars: {
          'layer/0': Math.floor(step / 2_000) + 1,
          'layer/1': step === 7_777 ? 100 : 20,
          'layer/2': step === 12_345 ? Number.NaN : 30,
          ...(step >= 10_000 && { 'layer/3': 40 }),
        },
      })),
    );
    longId = (await site.upload(site.folder('long'), '--name', 'long layers')).experiment_id;

    const hostile = [...payloads.slice(0, 49), `late\u202e/${payloads[50]!}`];
    await writeRun(
      site.folder('odd'),
      'odd <img src=x onerror=alert(1)>',
      [0, 1, 2].map((step) => ({
        step,
        wallTime: start + step,
        scalars: Object.fromEntries(hostile.map((tag, i) => [tag, i * step])),
      })),
    );
    oddId = (await site.upload(site.folder('odd'), '--name', 'odd layers')).experiment_id;
  });
  afterAll(() => site?.close());

  const opened = async (visit: Visit, path: string): Promise<void> => {
    await visit.open(path);
    await visit.page.locator('.heat-plot canvas').first().waitFor();
    await visit.settled();
  };

  /** Returns the pixels of the canvas, once it has its final size. */
  async function drawnIn({ page }: Visit): Promise<Drawn> {
    const canvas = page.locator('.heat-plot canvas').first();
    await expect.poll(() => canvas.evaluate((element) => element.width)).toBeGreaterThan(50);
    const [width, height, bytes] = await canvas.evaluate((element) => {
      const { width: wide, height: tall } = element;
      const { data } = element.getContext('2d')!.getImageData(0, 0, wide, tall);
      return [wide as number, tall as number, Array.from<number>(data)] as const;
    });
    return {
      width,
      height,
      at: (x, y) => bytes.slice(4 * (Math.floor(y) * width + Math.floor(x)), 4 * (Math.floor(y) * width + Math.floor(x)) + 4),
    };
  }

  /**
   * Returns a function that finds the position, from 0 to 1, of a color in the legend's gradient.
   */
  async function legendOf({ page }: Visit): Promise<(color: readonly number[]) => number> {
    const stops = await page
      .locator('.heat-legend stop')
      .evaluateAll((all) => all.map((stop) => [Number(stop.getAttribute('offset')), stop.getAttribute('stop-color')!] as const));
    const colors = stops.map(([offset, color]) => [offset, [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))] as const);
    const table = Array.from({ length: 1_001 }, (_, i) => {
      const place = i / 1_000;
      const next = Math.max(
        1,
        colors.findIndex(([offset]) => offset >= place),
      );
      const [[from, a], [to, b]] = [colors[next - 1]!, colors[next]!];
      return a.map((channel, at) => channel + ((b[at]! - channel) * (place - from)) / (to - from));
    });
    return (color) => {
      const distances = table.map((one) => Math.hypot(...one.map((channel, at) => channel - color[at]!)));
      const best = distances.indexOf(Math.min(...distances));
      expect(distances[best], `${color.join()} is not in the legend`).toBeLessThan(4);
      return best / 1_000;
    };
  }

  it.each([
    ['linear', 'light'],
    ['log', 'dark'],
  ] as const)('draws every value in its color, %s scale, %s theme', async (scale, colorScheme) => {
    const visit = await site.visit({ width: 1600, height: 1_000, dark: colorScheme === 'dark' });
    await opened(visit, `/e/${id}?run=first&${panel({ match: pattern, heatMap: { scale } })}`);
    const { width, height, at } = await drawnIn(visit);
    const placeOf = await legendOf(visit);
    const all = Array.from({ length: layers }, (_, layer) => Array.from({ length: steps }, (_one, step) => normOf(layer, step)));
    const [min, max] = [Math.min(...all.flat()), Math.max(...all.flat())];
    const spaced = (value: number): number => (scale === 'log' ? Math.log(value) : value);
    for (const [layer, values] of all.entries())
      for (const [step, value] of values.entries()) {
        const place = placeOf(at(((step + 0.5) / steps) * width, ((layer + 0.4) / layers) * height));
        // There are 256 shades, and channels are rounded.
        expect(Math.abs(place - (spaced(value) - spaced(min)) / (spaced(max) - spaced(min)))).toBeLessThan(0.008);
      }
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('draws the extremes of many points, a mark for NaN, and nothing where there is nothing', async () => {
    const visit = await site.visit({ width: 1600, height: 1_000 });
    await opened(visit, `/e/${longId}?${panel({ match: 'layer/', heatMap: {} })}`);
    const { width, height, at } = await drawnIn(visit);
    const placeOf = await legendOf(visit);
    const valueAt = (step: number, row: number): number => 1 + placeOf(at((step / 20_000) * width, ((row + 0.4) / 4) * height)) * 99;
    for (let block = 0; block < 10; block++) expect(valueAt(block * 2_000 + 1_000, 0)).toBeCloseTo(block + 1, 0);
    const row = (y: number): string[] => Array.from({ length: width }, (_, x) => at(x, y).join());
    const spikes = row((1.4 / 4) * height).filter((color) => color === at((7_777 / 20_000) * width, (1.4 / 4) * height).join());
    expect(valueAt(7_777, 1)).toBeCloseTo(100, 0);
    expect(spikes.length).toBeLessThan(width / 50);
    expect(valueAt(3_000, 1)).toBeCloseTo(20, 0);
    // The mark is somewhere in the column of the NaN, and nowhere else in the row.
    const ink = '28,27,26,255'; // one of the two colors of the hatching
    const marked = new Set<number>();
    for (let y = Math.ceil(height / 2); y < (height * 3) / 4 - 2; y++) row(y).forEach((color, x) => color === ink && marked.add(x));
    expect(marked.size).toBeGreaterThan(0);
    for (const x of marked) expect(Math.abs(x - (12_345 / 20_000) * width)).toBeLessThan(6);
    await visit.page.locator('.heat-legend').getByText('not finite').waitFor();
    // A layer that starts at half of the steps.
    expect(at(0.3 * width, (3.4 / 4) * height)[3]).toBe(0);
    expect(valueAt(15_000, 3)).toBeCloseTo(40, 0);
    // Zoomed in, every step is a cell.
    await opened(visit, `/e/${longId}?from=7770&to=7784&${panel({ match: 'layer/', heatMap: {} })}`);
    await visit.page.locator('.heat-plot').hover({ position: { x: 5, y: 5 } });
    const zoomed = await drawnIn(visit);
    const colors = Array.from({ length: 13 }, (_, i) => zoomed.at(((i + 1) / 14) * zoomed.width, (1.4 / 4) * zoomed.height).join());
    expect(new Set(colors).size).toBe(2);
    expect(visit.faults).toEqual([]);
  });

  it('is made from a panel, is in the address, and reads its cells by pointer and keys', async () => {
    const visit = await site.visit({ width: 1600, height: 1_000 });
    const { page } = visit;
    await visit.open(`/e/${id}?${panel({ match: pattern })}`);
    const card = visit.card(pattern);
    await card.locator('.uplot').waitFor();
    const toggle = page.getByRole('button', { name: `Heat map: ${pattern}` });
    await toggle.focus();
    await page.keyboard.press('Enter');
    await card.locator('.heat-plot canvas').waitFor();
    await page.waitForURL(/%22heatMap%22/);
    expect(await toggle.getAttribute('aria-pressed')).toBe('true');
    // The matrix of the first shown run; another run can be chosen.
    await page.getByRole('button', { name: 'Heat map settings' }).click();
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('combobox', { name: 'Run', exact: true }).selectOption('second');
    await page.getByLabel('Color scale').selectOption('log');
    await page.waitForURL(/%22scale%22%3A%22log%22%2C%22run%22%3A%22second%22/);
    await page.locator('.heat-legend').waitFor({ state: 'detached' }); // All values are negative
    await page.getByLabel('Color scale').selectOption('linear');
    await page.locator('.heat-legend').waitFor();
    await page.keyboard.press('Escape');
    const address = page.url();
    await opened(visit, address);
    const reading = page.locator('.heat-reading.on');
    const plot = card.locator('.heat-plot');
    const canvas = (await plot.locator('canvas').boundingBox())!;
    const point = (layer: number, step: number) =>
      page.mouse.move(canvas.x + ((step + 0.5) / steps) * canvas.width, canvas.y + ((layer + 0.5) / layers) * canvas.height);
    const exact = (layer: number, step: number) => String(-normOf(layer, step)).replace('-', '−');
    for (const [layer, step] of [
      [0, 0],
      [3, 17],
      [11, 39],
    ] as const) {
      await point(layer, step);
      await expect.poll(() => reading.innerText()).toContain(tagOf(layer));
      const text = await reading.innerText();
      expect(text).toContain(`step ${step}`);
      const [shown] = text.split('\n').slice(-1);
      expect(Math.fround(Number(shown!.replaceAll(',', '').replace('−', '-')))).toBe(-normOf(layer, step));
      expect(exact(layer, step)).not.toBe('');
    }
    // Rows are in natural order, layers.2 before layers.10; as many rows have names as fit.
    expect(await plot.locator('.row-name').allTextContents()).toEqual(['0', '2', '4', '6', '8', '10']);
    await plot.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
    await page.mouse.move(1, 1);
    await plot.blur();
    await plot.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => reading.innerText()).toMatch(/layers\.1\/grad_norm[\s\S]*step 1\n/);
    await page.keyboard.press('Escape');
    await expect.poll(() => reading.count()).toBe(0);
    // A drag zooms the x axis of all charts; a double click resets the zoom.
    await page.mouse.move(canvas.x + canvas.width * 0.25, canvas.y + 20);
    await page.mouse.down();
    await page.mouse.move(canvas.x + canvas.width * 0.4, canvas.y + 24);
    await page.mouse.move(canvas.x + canvas.width * 0.5, canvas.y + 24);
    await page.mouse.up();
    await page.waitForURL(/from=10&to=20/);
    await page.mouse.dblclick(canvas.x + canvas.width * 0.5, canvas.y + 20);
    await expect.poll(() => page.url()).not.toContain('from=');
    await toggle.focus();
    await page.keyboard.press('Enter');
    await card.locator('.uplot').waitFor();
    await expect.poll(() => page.url()).not.toContain('heatMap');
    expect(visit.faults).toEqual([]);
  });

  it('takes tags with any name, on a phone, too', async () => {
    for (const width of [1600, 390]) {
      const visit = await site.visit({ width, height: 900 });
      await opened(visit, `/e/${oddId}?${panel({ match: '.', heatMap: {} })}`);
      const names = await visit.page.locator('.heat-plot .row-name').allTextContents();
      expect(names.length).toBeGreaterThan(3);
      expect(names.join('')).not.toContain('\u202e');
      const canvas = (await visit.page.locator('.heat-plot canvas').boundingBox())!;
      expect(canvas.width).toBeGreaterThan(150);
      await visit.page.mouse.move(canvas.x + 20, canvas.y + 20);
      await visit.page.locator('.heat-reading.on').waitFor();
      expect(await violations(visit)).toEqual([]);
      expect(visit.faults).toEqual([]);
    }
  });
});
