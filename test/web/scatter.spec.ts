import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, seededRandom } from '#testing';
import {
  eventRecord,
  scalarValue,
  sessionEndValue,
  sessionStartValue,
  versionRecord,
} from '../../apps/standalone/src/demo/event-record.ts';
import { Site, type Visit } from './browser.ts';
import { payloads } from './payloads.ts';
import { violations } from './violations.ts';

/** A run as it was logged. */
interface Logged {
  readonly run: string;
  readonly lr: number;
  readonly opt: string;
  readonly accuracy: number;
}

const random = seededRandom(11);
const logged: readonly Logged[] = Array.from({ length: 24 }, (_, i) => {
  const lr = 10 ** (-4 + (3 * i) / 23);
  return { run: `run-${String(i).padStart(2, '0')}`, lr, opt: i % 3 === 0 ? 'sgd' : 'adam', accuracy: Math.fround(0.3 + 0.6 * random()) };
});
const hostile = payloads[0]!;

describeWith(['chromium'], 'the plot of runs', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    for (const [i, { run, lr, opt, accuracy }] of logged.entries()) {
      const at = 1_795_000_000 + i;
      const records = [
        versionRecord(at),
        eventRecord(at, 0, [sessionStartValue({ lr, opt: i === 5 ? hostile : opt }, at)]),
        eventRecord(at + 1, 0, [scalarValue('val/accuracy', accuracy)]),
        eventRecord(at + 2, 1, [sessionEndValue(true, at)]),
      ];
      const folder = join(site.folder('log'), run);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'events.out.tfevents.1.host'), Buffer.concat(records));
    }
    id = (await site.upload(site.folder('log'), '--name', 'plot')).experiment_id;
  });
  afterAll(() => site?.close());

  const open = async (query: string, options = {}) => {
    const visit = await site.visit({ width: 1400, height: 1000, ...options });
    await visit.open(`/e/${id}?tab=runs${query}`);
    await visit.page.locator('.scatter-plot canvas').waitFor();
    await visit.page.locator('.scatter[aria-busy=false]').waitFor();
    return visit;
  };
  const over = '&plotX=h%3Alr&plotY=m%3Aval%2Faccuracy';
  const reading = ({ page }: Visit) => page.locator('.scatter-reading');

  /**
   * Returns a run's expected position in plot pixels, interpolated between two labels of each axis,
   * with positions and values from the document.
   */
  const placeOf = async ({ page }: Visit, { lr, accuracy }: Pick<Logged, 'lr' | 'accuracy'>, isLog: boolean) => {
    const labels = await page.evaluate<{ x: [number, number][]; y: [number, number][] }>(`(() => {
      const all = [...document.querySelectorAll('.scatter-plot .axes text')].map((one) => ({
        value: Number(one.textContent.replace('−', '-')), x: Number(one.getAttribute('x')), y: Number(one.getAttribute('y')), end: one.getAttribute('text-anchor') === 'end' }));
      return { x: all.filter(({ end }) => !end).map(({ value, x }) => [value, x]), y: all.filter(({ end }) => end).map(({ value, y }) => [value, y - 4]) };
    })()`);
    type End = readonly [value: number, at: number];
    const between = ([[a, from], [b, to]]: readonly [End, End], value: number, by: (one: number) => number) =>
      from + ((by(value) - by(a)) / (by(b) - by(a))) * (to - from);
    const ends = (list: readonly End[]): readonly [End, End] => [list[0]!, list.at(-1)!];
    return { x: between(ends(labels.x), lr, isLog ? Math.log10 : (one) => one), y: between(ends(labels.y), accuracy, (one) => one) };
  };

  /**
   * Returns the drawing's opacity at these places; reads the pixels only once, as browsers
   * recommend.
   */
  const inkAt = ({ page }: Visit, places: readonly { readonly x: number; readonly y: number }[]) =>
    page.evaluate<number[]>(`(() => {
      const { width, height } = document.querySelector('.scatter-plot canvas');
      const { data } = document.querySelector('.scatter-plot canvas').getContext('2d').getImageData(0, 0, width, height);
      return ${JSON.stringify(places)}.map(({ x, y }) => data[4 * (Math.round(y) * width + Math.round(x)) + 3]);
    })()`);

  for (const scale of ['linear', 'log'] as const)
    it(`draws every run where its values are on a ${scale} axis, and reads it there`, async () => {
      const visit = await open(`${over}${scale === 'log' ? '&plotXScale=log' : ''}`);
      const plot = visit.page.locator('.scatter-plot');
      const places = [];
      for (const one of logged) {
        const at = await placeOf(visit, one, scale === 'log');
        places.push(at);
        await plot.hover({ position: at });
        expect(await reading(visit).innerText()).toContain(one.run);
      }
      const ink = await inkAt(visit, places);
      expect(ink).toHaveLength(logged.length);
      expect(Math.min(...ink)).toBeGreaterThan(0);
      expect(await visit.page.locator('.scatter-foot').innerText()).toMatch(/^24 runs · rank correlation −?0\.\d\d \(Spearman; 95 %: /);
      for (const colorScheme of ['light', 'dark'] as const) {
        await visit.page.emulateMedia({ colorScheme });
        expect(await violations(visit)).toEqual([]);
      }
      expect(visit.faults).toEqual([]);
    });

  it('shows the runs that the filters select, and keeps axes, scales and colors in the address', async () => {
    const visit = await site.visit({ width: 1400, height: 1000 });
    const { page } = visit;
    await visit.open(`/e/${id}?tab=runs`);
    await page.getByRole('button', { name: 'Plot', exact: true }).click();
    await page.waitForURL(/plotX=h%3Alr&plotY=m%3Aval%2Faccuracy/);
    await page.getByText(/^24 runs · rank/).waitFor();
    await page.getByLabel('X-axis scale').selectOption('log');
    await page.getByLabel('Point color').selectOption('h:opt');
    await page.waitForURL(/plotColor=h%3Aopt&plotXScale=log/);
    await page.getByLabel('Filter runs by regular expression').fill('run-0');
    await page.getByText(/^10 runs · rank/).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Filter by val/accuracy').fill('> 0.5');
    const wanted = logged.filter(({ run, accuracy }) => run.startsWith('run-0') && accuracy > 0.5);
    await page.getByText(new RegExp(`^${wanted.length} runs`)).waitFor();
    await page.waitForURL(/where=/);
    await page.reload();
    await page.getByText(new RegExp(`^${wanted.length} runs`)).waitFor();
    const legend = page.getByRole('list', { name: 'Colors: opt' });
    expect(await legend.innerText()).toContain('adam');
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('button', { name: 'Close the plot' }).click();
    await page.waitForURL((url) => !url.search.includes('plot'));
    expect(await page.locator('.scatter').count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });

  it('selects runs by a click, a dragged box, and keys', async () => {
    const visit = await open(`${over}&plotXScale=log`);
    const { page } = visit;
    const plot = page.locator('.scatter-plot');
    await plot.click({ position: await placeOf(visit, logged[7]!, true) });
    await page.getByText('1 selected').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Select run-07' }).isChecked()).toBe(true);
    const box = (await plot.boundingBox())!;
    const [from, to] = [
      await placeOf(visit, { lr: logged[3]!.lr * 0.95, accuracy: 0.95 }, true),
      await placeOf(visit, { lr: logged[6]!.lr * 1.05, accuracy: 0.25 }, true),
    ];
    await page.mouse.move(box.x + from.x, box.y + Math.max(2, from.y));
    await page.mouse.down();
    await page.mouse.move(box.x + to.x, box.y + Math.min(box.height - 2, to.y), { steps: 4 });
    await page.mouse.up();
    await page.getByText('4 selected').waitFor();
    for (const run of ['run-03', 'run-04', 'run-05', 'run-06'])
      expect(await page.getByRole('checkbox', { name: `Select ${run}` }).isChecked()).toBe(true);
    await plot.focus();
    await page.keyboard.press('Home');
    expect(await reading(visit).innerText()).toContain('run-00');
    await page.keyboard.press('ArrowRight');
    expect(await reading(visit).innerText()).toContain('run-01');
    expect(await reading(visit).getAttribute('aria-live')).toBe('polite');
    await page.keyboard.press('Enter');
    await page.getByText('5 selected').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => reading(visit).isVisible()).toBe(false);
    expect(visit.faults).toEqual([]);
  });

  it('draws a box for each value of a text, with the quartiles of its runs', async () => {
    const visit = await open('&plotX=h%3Aopt&plotY=m%3Aval%2Faccuracy&plotColor=m%3Aval%2Faccuracy');
    const boxes = await visit.page.evaluate<{ value: string; median: number; q1: number; q3: number; count: number }[]>(
      `[...document.querySelectorAll('.scatter-plot .box')].map((one) => JSON.parse(one.dataset.box))`,
    );
    for (const value of ['adam', 'sgd']) {
      const sorted = logged.flatMap((one, i) => (one.opt === value && i !== 5 ? [one.accuracy] : [])).toSorted((a, b) => a - b);
      const quantile = (part: number) => {
        const at = (sorted.length - 1) * part;
        return sorted[Math.floor(at)]! + (sorted[Math.ceil(at)]! - sorted[Math.floor(at)]!) * (at % 1);
      };
      const found = boxes.find((one) => one.value === value)!;
      expect(found.count).toBe(sorted.length);
      for (const [key, part] of [
        ['q1', 0.25],
        ['median', 0.5],
        ['q3', 0.75],
      ] as const)
        expect(found[key]).toBeCloseTo(quantile(part), 6);
    }
    expect(boxes.map(({ value }) => value)).toContain(hostile);
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('says what is missing, and fits on a phone', async () => {
    const visit = await open(over, { width: 390, height: 844 });
    expect(await violations(visit)).toEqual([]);
    expect(await visit.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await visit.open(`/e/${id}?tab=runs&plotX=h%3Anothing&plotY=m%3Aval%2Faccuracy`);
    await visit.page.getByText('No run has nothing. Choose another column.').waitFor();
    expect(visit.faults).toEqual([]);
  });
});
