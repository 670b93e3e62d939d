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

const hostile = payloads[0]!;
const random = seededRandom(12);
const logged: readonly Logged[] = Array.from({ length: 24 }, (_, i) => ({
  run: `run-${String(i).padStart(2, '0')}`,
  lr: 10 ** (-4 + (3 * i) / 23),
  opt: i === 5 ? hostile : i % 3 === 0 ? 'sgd' : 'adam',
  accuracy: Math.fround(0.3 + 0.6 * random()),
}));

describeWith(['chromium'], 'parallel coordinates', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    for (const [i, { run, lr, opt, accuracy }] of logged.entries()) {
      const at = 1_795_000_000 + i;
      const records = [
        versionRecord(at),
        eventRecord(at, 0, [sessionStartValue({ lr, opt, [hostile]: i % 2 === 0 ? hostile : 'plain' }, at)]),
        // The last run diverged, so its accuracy has no position on an axis.
        eventRecord(at + 1, 0, [scalarValue('val/accuracy', i === 23 ? Number.NaN : accuracy)]),
        eventRecord(at + 2, 1, [sessionEndValue(true, at)]),
      ];
      const folder = join(site.folder('log'), run);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'events.out.tfevents.1.host'), Buffer.concat(records));
    }
    id = (await site.upload(site.folder('log'), '--name', 'parallel')).experiment_id;
  });
  afterAll(() => site?.close());

  const axes = '&plotAxis=h%3Alr&plotAxis=h%3Aopt&plotAxis=m%3Aval%2Faccuracy';
  const open = async (query = axes, options = {}) => {
    const visit = await site.visit({ width: 1400, height: 1000, ...options });
    await visit.open(`/e/${id}?tab=runs${query}`);
    await visit.page.locator('.parallel-plot canvas.lines').waitFor();
    await visit.page.locator('.scatter[aria-busy=false]').waitFor();
    return visit;
  };
  const reading = ({ page }: Visit) => page.locator('.scatter-reading');
  const conditions = ({ page }: Visit) => new URL(page.url()).searchParams.getAll('where');
  const rowsOf = async ({ page }: Visit) => (await page.getByRole('checkbox', { name: /^Select run-/ }).all()).length;
  const untilRows = async (visit: Visit, count: number) => {
    await expect.poll(() => rowsOf(visit), { timeout: 10_000 }).toBe(count);
  };

  /**
   * Returns the axes as labeled in the document: their positions, and their labels with each
   * label's pixels.
   */
  const drawnAxes = async ({ page }: Visit) => {
    const all = await page.evaluate<{ x: number; y: number; label: string }[]>(
      `[...document.querySelectorAll('.parallel-plot .axes text')].map((one) => ({ label: one.textContent, x: Number(one.getAttribute('x')) + 8, y: Number(one.getAttribute('y')) - 4 }))`,
    );
    return [...Map.groupBy(all, ({ x }) => x).entries()].toSorted(([a], [b]) => a - b).map(([x, labels]) => ({ x, labels }));
  };
  type Line = Awaited<ReturnType<typeof linesOf>>[number];
  type DrawnAxis = Awaited<ReturnType<typeof drawnAxes>>[number];
  /** Where a number must be: between the first and the last label. */
  const placeOn = ({ labels }: DrawnAxis, value: number, by: (value: number) => number) => {
    const known = labels.filter(({ label }) => label !== 'no value');
    const [low, high] = [known[0]!, known.at(-1)!];
    const [a, b] = [by(numberOf(low.label)), by(numberOf(high.label))];
    return low.y + ((by(value) - a) / (b - a)) * (high.y - low.y);
  };
  const numberOf = (label: string) => Number(label.replace('−', '-'));
  const linesOf = async (visit: Visit) => {
    const [lr, opt, accuracy] = (await drawnAxes(visit)) as [DrawnAxis, DrawnAxis, DrawnAxis];
    const x = [lr.x, opt.x, accuracy.x];
    return logged.map((one, i) => ({
      run: one.run,
      x,
      y: [
        placeOn(lr, one.lr, Math.log10),
        opt.labels.find(({ label }) => label.startsWith(one.opt.slice(0, 3)))!.y,
        i === 23 ? accuracy.labels.find(({ label }) => label === 'no value')!.y : placeOn(accuracy, one.accuracy, (value) => value),
      ],
    }));
  };
  const drag = async ({ page }: Visit, x: number, from: number, to: number) => {
    const box = (await page.locator('.parallel-plot').boundingBox())!;
    await page.mouse.move(box.x + x, box.y + from);
    await page.mouse.down();
    await page.mouse.move(box.x + x, box.y + to, { steps: 4 });
    await page.mouse.up();
  };

  it('draws a line for each run through its values, and reads it at the pointer', async () => {
    const visit = await open();
    const { page } = visit;
    const lines = await linesOf(visit);
    const places = lines.flatMap(({ x, y }) =>
      [0.1, 0.5, 0.9].flatMap((part) =>
        [0, 1].map((i) => ({ x: x[i]! + part * (x[i + 1]! - x[i]!), y: y[i]! + part * (y[i + 1]! - y[i]!) })),
      ),
    );
    const ink = await page.evaluate<number[]>(`(() => {
      const canvas = document.querySelector('.parallel-plot canvas.lines');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return ${JSON.stringify(places)}.map(({ x, y }) => data[4 * (Math.floor(y) * canvas.width + Math.floor(x)) + 3]);
    })()`);
    expect(ink).toHaveLength(6 * logged.length);
    expect(Math.min(...ink)).toBeGreaterThan(0);
    for (const { run, x, y } of [lines[0]!, lines[7]!, lines[14]!, lines[23]!]) {
      const part = 20 / (x[1]! - x[0]!);
      await page.locator('.parallel-plot').hover({ position: { x: x[0]! + 20, y: y[0]! + part * (y[1]! - y[0]!) } });
      await expect.poll(() => reading(visit).innerText()).toContain(run);
      // The line is drawn above the others, through the same positions.
      const path = (await page.locator('.parallel-plot path.line').getAttribute('d'))!;
      const drawn = path
        .slice(1)
        .split('L')
        .map((one) => one.split(' ').map(Number));
      drawn.forEach(([atX, atY], i) => {
        expect(atX).toBe(x[i]);
        expect(Math.abs(atY! - y[i]!)).toBeLessThan(0.5);
      });
    }
    expect(await page.locator('.scatter-foot').innerText()).toContain('24 runs');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    expect(visit.faults).toEqual([]);
  });

  it('shows the run at the pointer in the table, and that of the table in the plots', async () => {
    const visit = await open();
    const { page } = visit;
    const [first, second] = (await linesOf(visit)) as [Line, Line];
    await page.locator('.parallel-plot').hover({ position: { x: first.x[0]! + 2, y: first.y[0]! } });
    await expect.poll(() => reading(visit).innerText()).toContain(first.run);
    const pointed = page.locator('.runs-table tr.pointed th');
    await expect.poll(() => pointed.innerText()).toBe(first.run);
    await page.getByRole('row', { name: new RegExp(second.run) }).hover();
    await expect.poll(() => pointed.innerText()).toBe(second.run);
    const path = page.locator('.parallel-plot path.line');
    await expect.poll(async () => (await path.getAttribute('d'))!.slice(1).split('L')[0]!.split(' ').map(Number)[0]).toBe(second.x[0]);
    const at = Number((await path.getAttribute('d'))!.slice(1).split('L')[0]!.split(' ')[1]);
    expect(Math.abs(at - second.y[0]!)).toBeLessThan(0.5);
    expect(await reading(visit).isVisible()).toBe(false);
    await page.mouse.move(5, 5);
    await expect.poll(() => path.count()).toBe(0);
    expect(await pointed.count()).toBe(0);
    await page.getByLabel('Plot type').selectOption('scatter');
    await page.locator('.scatter-plot canvas').waitFor();
    await page.getByRole('row', { name: new RegExp(second.run) }).hover();
    await page.locator('.scatter-plot circle.read').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('filters by a finger along an axis, and scrolls between the axes', async () => {
    const visit = await open(axes, { width: 390, height: 844, dark: true });
    const { page } = visit;
    const [lr] = (await drawnAxes(visit)) as [DrawnAxis];
    const plot = (await page.locator('.parallel-plot').boundingBox())!;
    const device = await page.context().newCDPSession(page);
    const swipe = async (x: number, from: number, to: number): Promise<void> => {
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...ys: number[]) =>
        device.send('Input.dispatchTouchEvent', { type, touchPoints: ys.map((y) => ({ x: plot.x + x, y: plot.y + y, id: 0 })) });
      await touch('touchStart', from);
      for (let i = 1; i <= 6; i++) await touch('touchMove', from + ((to - from) * i) / 6);
      await touch('touchEnd');
    };
    const middle = placeOn(lr, 0.01, Math.log10);
    await swipe(lr.x + 8, 4, middle);
    await page.waitForURL(/where=/);
    expect(conditions(visit)).toHaveLength(1);
    const [, bound] = /^h%3Alr >= ([\d.e-]+)$/.exec(conditions(visit)[0]!)!;
    expect(Math.abs(Math.log10(Number(bound)) + 2)).toBeLessThan(0.05);
    await swipe(lr.x + 48, 40, 200); // Between two axes
    await page.getByLabel('Line color').selectOption('h:opt');
    await page.waitForURL(/plotColor=/); // Written after any change of the swipe
    expect(conditions(visit)).toEqual([`h%3Alr >= ${bound}`]);
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('filters the table by a range that is dragged along an axis, and keeps it in the address', async () => {
    const visit = await open();
    const { page } = visit;
    await untilRows(visit, 24);
    const lines = await linesOf(visit);
    const [x, y] = [lines[0]!.x, lines.map((one) => one.y[0]!)];
    await drag(visit, x[0]!, (y[4]! + y[5]!) / 2, (y[10]! + y[11]!) / 2);
    await page.locator('.scatter-foot').getByText('6 of 24 runs').waitFor();
    await untilRows(visit, 6);
    for (let i = 5; i <= 10; i++) await page.getByRole('checkbox', { name: `Select ${logged[i]!.run}` }).waitFor();
    await page.waitForURL(/where=h/); // written when the view has been still
    const [range] = conditions(visit);
    const [, low, high] = /^h%3Alr (.+)\.\.(.+)$/.exec(range!)!.map(Number);
    expect(low).toBeGreaterThan(logged[4]!.lr);
    expect(low).toBeLessThan(logged[5]!.lr);
    expect(high).toBeGreaterThan(logged[10]!.lr);
    expect(high).toBeLessThan(logged[11]!.lr);
    // Beyond the outermost value, a range is unbounded.
    await drag(visit, x[2]!, Math.min(...lines.map((one) => one.y[2]!)) - 3, lines[8]!.y[2]!);
    await page.waitForURL(/where=m/);
    expect(conditions(visit)[1]).toMatch(/^m%3Aval%2Faccuracy >= /);
    await page.getByRole('button', { name: 'Clear ranges' }).click();
    await page.waitForURL((url) => !url.search.includes('where='));
    // Values
    const place = lines[0]!.y[1]!; // sgd
    await drag(visit, x[1]!, place - 20, place + 20);
    await expect.poll(() => conditions(visit)).toEqual(['h%3Aopt ["sgd"]']);
    const wanted = logged.filter(({ opt }) => opt === 'sgd').length;
    await untilRows(visit, wanted);
    await page.reload();
    await page.locator('.scatter-foot').getByText(`${wanted} of 24 runs`).waitFor();
    await untilRows(visit, wanted);
    await page.locator('.parallel-plot').click({ position: { x: x[1]!, y: place } });
    await page.waitForURL((url) => !url.search.includes('where='));
    await untilRows(visit, 24);
    expect(visit.faults).toEqual([]);
  });

  it('filters by typed bounds and ticked values, and changes axes in their menus', async () => {
    const visit = await open();
    const { page } = visit;
    await page.getByRole('button', { name: 'Axis lr' }).click();
    await page.getByLabel('Minimum lr').fill('0.001');
    await page.getByLabel('Maximum lr').fill('0.02');
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await expect.poll(() => conditions(visit)).toEqual(['h%3Alr 0.001..0.02']);
    const inRange = logged.filter(({ lr }) => lr >= 0.001 && lr <= 0.02);
    await untilRows(visit, inRange.length);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Axis opt' }).click();
    await page.getByRole('checkbox', { name: 'adam' }).check();
    await untilRows(visit, inRange.filter(({ opt }) => opt === 'adam').length);
    await page.getByRole('button', { name: 'Move right' }).click();
    await page.waitForURL(/plotAxis=h%3Alr&plotAxis=m%3Aval%2Faccuracy&plotAxis=h%3Aopt/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Axis lr' }).click();
    await page.getByLabel('lr scale').selectOption('linear');
    await page.waitForURL(/plotAxisScale=linear%3Ah%3Alr/);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.waitForURL((url) => url.searchParams.getAll('plotAxis').length === 2);
    expect(visit.faults).toEqual([]);
  });

  it('switches between the plots, and reads and selects runs by keys', async () => {
    const visit = await site.visit({ width: 1400, height: 1000 });
    const { page } = visit;
    await visit.open(`/e/${id}?tab=runs`);
    await page.getByRole('button', { name: 'Plot', exact: true }).click();
    await page.getByLabel('Plot type').selectOption('Parallel coordinates');
    await page.waitForURL((url) => url.searchParams.getAll('plotAxis').at(-1) === 'm:val/accuracy' && !url.searchParams.has('plotX'));
    await page.locator('.parallel-plot canvas.lines').waitFor();
    await page.getByLabel('Line color').selectOption('h:opt');
    await page.getByRole('list', { name: 'Colors: opt' }).waitFor();
    const plot = page.locator('.parallel-plot');
    await plot.focus();
    await page.keyboard.press('Home');
    const best = logged.slice(0, 23).toSorted((a, b) => b.accuracy - a.accuracy);
    expect(await reading(visit).innerText()).toContain(best[0]!.run);
    await page.keyboard.press('ArrowDown');
    expect(await reading(visit).innerText()).toContain(best[1]!.run);
    expect(await reading(visit).getAttribute('aria-live')).toBe('polite');
    await page.keyboard.press('Enter');
    await page.getByText('1 selected').waitFor();
    expect(await page.getByRole('checkbox', { name: `Select ${best[1]!.run}` }).isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => reading(visit).isVisible()).toBe(false);
    await page.getByLabel('Plot type').selectOption('Scatter plot');
    await page.waitForURL((url) => url.searchParams.get('plotY') === 'm:val/accuracy' && !url.searchParams.has('plotAxis'));
    await page.getByLabel('Plot type').selectOption('Parallel coordinates');
    await page.getByRole('button', { name: 'Close the plot' }).click();
    await page.waitForURL((url) => !url.search.includes('plot'));
    expect(visit.faults).toEqual([]);
  });

  it('shows hostile names as text, says what is missing, and fits on a phone', async () => {
    const visit = await open(`${axes}&plotAxis=${encodeURIComponent(`h:${hostile}`)}`, { width: 390, height: 844 });
    const { page } = visit;
    expect(await page.locator('.parallel-heads').innerText()).toContain(hostile);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('button', { name: `Axis ${hostile}` }).click();
    await page.getByRole('checkbox', { name: hostile }).check();
    await page.locator('.scatter-foot').getByText('12 of 24 runs').waitFor();
    await visit.open(`/e/${id}?tab=runs&plotAxis=h%3Anothing&plotAxis=h%3Alr`);
    await page.getByText('No run has nothing. Choose other axes.').waitFor();
    expect(visit.faults).toEqual([]);
  });
});
