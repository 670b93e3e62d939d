import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { sweep, writeLongRun, writeRun, writeTrainings } from './logs.ts';

/**
 * The step at which the restarted run continues, its number of points, and the values that it
 * logged there at first and after the restart.
 */
const restart = { at: 25_000, of: 30_000, before: 8, after: 1 };

describeWith(['chromium'], 'zoomed charts', () => {
  let site: Site;
  let id: string;
  let restartedId: string;

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 2));
    id = (await site.upload(site.folder('sweep'), '--name', 'sweep')).experiment_id;
    const folder = site.folder('restarted');
    await writeLongRun(folder, 'run', 'loss', restart.of, (step) => (step < restart.at ? (step % 1000) / 100 : restart.before));
    const again = Array.from({ length: restart.of - restart.at }, (_, i) => ({
      step: restart.at + i,
      wallTime: 1_700_100_000 + i,
      scalars: { loss: restart.after },
    }));
    await writeRun(folder, 'run', again, 'events.out.tfevents.1795255001.host.2.0.v2');
    restartedId = (await site.upload(folder, '--name', 'restarted')).experiment_id;
  });
  afterAll(() => site?.close());

  type Point = readonly [number, number];

  /** Positions in a plot, as fractions of its size. */
  async function plotOf(visit: Visit, inside = 'article') {
    const box = (await visit.page.locator(`${inside} .u-over`).first().boundingBox())!;
    return (x: number, y: number): Point => [box.x + x * box.width, box.y + y * box.height];
  }

  async function drag(visit: Visit, from: Point, to: Point): Promise<void> {
    await visit.page.mouse.move(...from);
    await visit.page.mouse.down();
    await visit.page.mouse.move(...to, { steps: 4 });
    await visit.page.mouse.up();
  }

  const parametersOf = (visit: Visit) => new URL(visit.page.url()).searchParams;
  const note = (visit: Visit) => visit.page.locator('article .card-note').first().textContent();

  /** Downloads a chart's file. */
  async function fileOf(visit: Visit, tag: string, kind: string): Promise<string> {
    const around = (await visit.page.locator('dialog.alone').count()) > 0 ? 'dialog.alone ' : '';
    const card = visit.page.locator(`${around}article[aria-label="${tag}"]`);
    await card.hover();
    await card.getByLabel(`Download ${tag}`).click();
    const download = visit.page.waitForEvent('download');
    await card.getByText(kind).click();
    const pieces: Buffer[] = [];
    for await (const piece of await (await download).createReadStream()) pieces.push(piece as Buffer);
    await card.getByLabel(`Download ${tag}`).click();
    return Buffer.concat(pieces).toString();
  }

  it('keep the range of the y axis in the address: in full screen, after a reload, and on the way back', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=train/loss&smoothing=0`);
    const at = await plotOf(visit);
    await drag(visit, at(0.5, 0.55), at(0.52, 0.9)); // Narrow: only the y axis.
    await expect.poll(() => parametersOf(visit).get('y')).toMatch(/^0\.\d+\.\.\d\.?\d*:train\/loss$/);
    expect(parametersOf(visit).has('from')).toBe(false);
    const [min, max] = /^(.*)\.\.(.*):/.exec(parametersOf(visit).get('y')!)!.slice(1).map(Number) as [number, number];
    const labels = async () => {
      const svg = await fileOf(visit, 'train/loss', 'Image as SVG');
      return [...svg.matchAll(/text-anchor="end"[^>]*>([^<]*)</g)].map(([, text]) => Number(text));
    };
    const isPart = async () => {
      const values = await labels();
      expect(values.length).toBeGreaterThan(1);
      return values.every((value) => value >= min && value <= max);
    };
    expect(await isPart()).toBe(true);
    await visit.page.getByLabel('Full screen: train/loss').click();
    await visit.page.locator('dialog.alone .u-over').waitFor();
    await visit.settled();
    expect(await isPart()).toBe(true);
    await visit.page.reload();
    await visit.page.locator('dialog.alone .u-over').waitFor();
    await visit.settled();
    expect(await isPart()).toBe(true);
    await visit.page.locator('dialog.alone').getByRole('button', { name: 'Reset zoom' }).click();
    await expect.poll(() => parametersOf(visit).has('y')).toBe(false);
    await visit.page.goBack();
    await expect.poll(() => parametersOf(visit).has('y')).toBe(true);
    await visit.page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => parametersOf(visit).has('card')).toBe(false);
    await visit.page.getByRole('button', { name: 'Reset zoom' }).click();
    await expect.poll(() => parametersOf(visit).has('y')).toBe(false);
    expect(await isPart()).toBe(false);
    await visit.page.goBack();
    await expect.poll(() => parametersOf(visit).has('y')).toBe(true);
    await visit.settled();
    expect(await isPart()).toBe(true);
    expect(visit.faults).toEqual([]);
  });

  it('combine tags where they were in the list, and in one file', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?card=train/loss&with=train/perplexity&smoothing=0&run=sweep/lr%3D0.001&xAxis=relative&from=400&to=420`);
    const at = await plotOf(visit, 'dialog');
    await visit.page.mouse.move(...at(0.5, 0.5));
    const rows = await visit.page.locator('.tooltip.on tbody tr:not([hidden])').allInnerTexts();
    expect(rows.filter((row) => row.includes('train/perplexity'))).toHaveLength(1);
    expect(rows).toHaveLength(2);
    // For part of the time axis, all points are requested once the part is drawn.
    await expect.poll(() => visit.page.locator('dialog .card-note').textContent()).toMatch(/ points$/);
    const csv = await fileOf(visit, 'train/loss', 'Points as CSV');
    expect(new Set([...csv.matchAll(/^[^,]*,([^,]*),/gm)].map(([, tag]) => tag))).toEqual(
      new Set(['tag', 'train/loss', 'train/perplexity']),
    );
    expect(visit.faults).toEqual([]);
  });

  it('keep the finer line until a still finer one arrives, and report if none does', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=train/loss&from=1000&to=1100`);
    expect(await note(visit)).toMatch(/ points$/);
    let reject = false;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await visit.page.route('**/scalars/query', async (route) => {
      await held;
      await (reject
        ? route.fulfill({ status: 422, contentType: 'application/problem+json', body: '{"title":"Not now","status":422}' })
        : route.continue());
    });
    const at = await plotOf(visit);
    await drag(visit, at(0.4, 0.5), at(0.6, 0.52));
    await expect.poll(() => parametersOf(visit).get('from')).not.toBe('1000');
    await visit.page.locator('article .refining').waitFor();
    expect(await note(visit)).toMatch(/ points$/);
    reject = true;
    release();
    const hint = visit.page.locator('article .chart-hint');
    await hint.waitFor();
    expect(await hint.innerText()).toContain('Could not load data');
    reject = false;
    await hint.getByRole('button', { name: 'Try again' }).click();
    await hint.waitFor({ state: 'detached' });
    expect(await note(visit)).toMatch(/ points$/);
  });

  it('are zoomed by pinching, and reset when the fingers come together', async () => {
    const visit = await site.visit({ width: 390 });
    await visit.open(`/e/${id}?tagFilter=train/loss`);
    const at = await plotOf(visit);
    const device = await visit.page.context().newCDPSession(visit.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: Point[]) =>
      device.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], i) => ({ x, y, id: i })) });
    const pinch = async (from: number, to: number): Promise<void> => {
      const pair = (spread: number): Point[] => [at(0.5 - spread / 2, 0.5), at(0.5 + spread / 2, 0.5)];
      await touch('touchStart', pair(from)[0]!);
      await touch('touchStart', ...pair(from));
      for (let i = 1; i <= 4; i++) await touch('touchMove', ...pair(from + ((to - from) * i) / 4));
      await touch('touchEnd');
    };
    await pinch(0.2, 0.8);
    await expect.poll(() => parametersOf(visit).has('from')).toBe(true);
    const [from, to] = [Number(parametersOf(visit).get('from')), Number(parametersOf(visit).get('to'))];
    // A quarter of the range, around the middle.
    expect(to - from).toBeGreaterThan(600);
    expect(to - from).toBeLessThan(900);
    expect((from + to) / 2).toBeGreaterThan(1200);
    expect((from + to) / 2).toBeLessThan(1800);
    await visit.settled();
    await pinch(0.8, 0.3);
    await expect.poll(() => parametersOf(visit).has('from')).toBe(false);
    expect(visit.faults).toEqual([]);
  });

  it('show points that a restart superseded, however many points precede them', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${restartedId}?smoothing=0`);
    /**
     * Returns the number of nonempty pixels in an area with only the grid and superseded points:
     * after the restart, in the upper half.
     */
    const drawn = () =>
      visit.page.evaluate<number>(`(() => {
        const canvas = document.querySelector('article canvas');
        const [outer, over] = [canvas.getBoundingClientRect(), document.querySelector('article .u-over').getBoundingClientRect()];
        const { width, height } = over;
        const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        copy.drawImage(canvas, outer.left - over.left - width * 0.87, outer.top - over.top);
        const { data } = copy.getImageData(0, 0, Math.round(width * 0.1), Math.round(height * 0.5));
        let found = 0;
        for (let i = 3; i < data.length; i += 4) if (data[i] > 0) found++;
        return found;
      })()`);
    const grid = await drawn();
    await visit.card('loss').getByRole('button', { name: 'replaced' }).click();
    await expect.poll(drawn).toBeGreaterThan(grid + 10);
    expect(await visit.page.locator('article .chart-hint').count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });
});
