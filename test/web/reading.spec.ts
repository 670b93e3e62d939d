import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatExact } from '#charts';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { sweep, trainingEvents, writeTrainings } from './logs.ts';
import { violations } from './violations.ts';

describeWith(['chromium'], 'reading and moving charts', () => {
  let site: Site;
  let id: string;
  const runs = sweep.slice(0, 2);

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), runs);
    id = (await site.upload(site.folder('sweep'), '--name', 'sweep')).experiment_id;
  });
  afterAll(() => site?.close());

  const parametersOf = (visit: Visit) => new URL(visit.page.url()).searchParams;

  async function plotOf(visit: Visit, tag: string) {
    const box = (await visit.card(tag).locator('.u-over').boundingBox())!;
    return (x: number, y: number) => [box.x + x * box.width, box.y + y * box.height] as const;
  }

  it('labels the columns of the tooltip, and shows logged values', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=validation/loss`);
    const at = await plotOf(visit, 'validation/loss');
    await visit.page.mouse.move(...at(0.5, 0.5));
    const tooltip = visit.page.locator('.tooltip.on');
    expect(await tooltip.locator('thead td').allInnerTexts()).toEqual(['', 'Run', 'Smoothed', 'Value', 'Step', 'Time']);
    const rows = await tooltip
      .locator('tbody tr:not([hidden])')
      .evaluateAll((list) => list.map((row) => [...row.children].map((cell) => cell.textContent)));
    expect(rows).toHaveLength(2);
    for (const [, name, , value, step, time] of rows) {
      const run = runs.find((one) => one.run.endsWith(name))!;
      const event = trainingEvents(run).find((one) => one.step === Number(step!.replace(',', '')))!;
      const logged = Math.fround(event.scalars!['validation/loss']!);
      expect(Math.abs(Number(value) - logged)).toBeLessThan(1e-3 * logged);
      expect(formatExact(logged).startsWith(value!.slice(0, 4))).toBe(true);
      expect(time).toMatch(/^\d+/);
    }
    await visit.page.goto(`/e/${id}?tagFilter=validation/loss&smoothing=0`);
    await visit.settled();
    await visit.page.mouse.move(...at(0.4, 0.5));
    expect((await tooltip.locator('thead').innerText()).trim().split(/\s+/)).toEqual(['Run', 'Value', 'Step', 'Time']);
    expect(visit.faults).toEqual([]);
  });

  it('locks the crosshair at a click, shows a picked run alone, and unlocks by Esc or a click', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open(`/e/${id}?tagFilter=loss&smoothing=0`);
    const at = await plotOf(visit, 'validation/loss');
    const other = await plotOf(visit, 'train/loss');
    const head = page.locator('.tooltip.on .tooltip-head');
    await page.mouse.move(...at(0.5, 0.5));
    await page.mouse.down();
    await page.mouse.up();
    await page.locator('.tooltip.locked').waitFor();
    const place = await head.textContent();
    const crosshairs = () => page.locator('.crosshair.on').evaluateAll((list) => list.map((one) => one.style.transform));
    const before = await crosshairs();
    expect(before).toHaveLength(2);
    await page.mouse.move(...at(0.8, 0.5));
    await page.mouse.move(...other(0.2, 0.5));
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await head.allTextContents()).toEqual([place]);
    expect(await crosshairs()).toEqual(before);
    for (const dark of [false, true]) {
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      expect(await violations(visit)).toEqual([]);
    }
    await page.locator('.tooltip.locked tbody tr').first().click();
    await expect.poll(() => parametersOf(visit).getAll('run').length).toBe(1);
    await visit.settled();
    await expect.poll(() => page.locator('.tooltip.locked tbody tr:not([hidden])').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await page.locator('.tooltip.on').count()).toBe(0);
    await page.mouse.click(...at(0.3, 0.5));
    await page.locator('.tooltip.locked').waitFor();
    await page.mouse.click(...other(0.6, 0.5));
    await expect.poll(() => page.locator('.tooltip.locked').count()).toBe(0);
    await page.mouse.move(...other(0.7, 0.5));
    await page.locator('.tooltip.on').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('zooms with Ctrl and the wheel around the pointer, moves with Shift, and leaves the plain wheel to the page', async () => {
    const visit = await site.visit({ height: 500 });
    const { page } = visit;
    await visit.open(`/e/${id}?smoothing=0`);
    const [first] = await page.locator('article').evaluateAll((list) => list.map((one) => one.getAttribute('aria-label')!));
    const at = await plotOf(visit, first);
    await page.mouse.move(...at(0.5, 0.5));
    await page.keyboard.down('Control');
    for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    const range = () => [Number(parametersOf(visit).get('from')), Number(parametersOf(visit).get('to'))] as const;
    // e^-0.9 of 2,999 steps, around the center.
    await expect.poll(() => Math.abs(range()[1] - range()[0] - 2999 * Math.exp(-0.9))).toBeLessThan(60);
    const [from, to] = range();
    expect(Math.abs((from + to) / 2 - 1500)).toBeLessThan(30);
    await visit.settled();
    await page.keyboard.down('Shift');
    await page.mouse.move(...at(0.5, 0.5));
    await page.mouse.down();
    await page.mouse.move(...at(0.25, 0.5), { steps: 3 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await expect.poll(() => Math.abs(range()[0] - from - (to - from) / 4)).toBeLessThan(20);
    expect(Math.abs(range()[1] - range()[0] - (to - from))).toBeLessThan(3);
    await page.goBack();
    await expect.poll(() => range()).toEqual([from, to]);
    await visit.settled();
    await page.mouse.dblclick(...at(0.5, 0.5));
    await expect.poll(() => parametersOf(visit).has('from')).toBe(false);
    expect(await page.locator('.tooltip.locked').count()).toBe(0);
    await page.mouse.wheel(0, 200);
    await expect.poll(() => page.locator('main.cards').evaluate((main) => main.scrollTop)).toBeGreaterThan(100);
    expect(parametersOf(visit).has('from')).toBe(false);
    expect(visit.faults).toEqual([]);
  });

  it('starts with results, folds all groups at once, and keeps headers in view', async () => {
    const visit = await site.visit({ height: 600 });
    const { page } = visit;
    await visit.open(`/e/${id}`);
    const main = page.locator('main.cards');
    const heads = () => page.locator('.group-head button').evaluateAll((list) => list.map((one) => one.textContent));
    expect((await heads()).slice(0, 1)).toEqual(['validation 2']);
    await main.evaluate((element) => element.scrollTo(0, 700));
    const stuck = page.locator('.placed.stuck .group-head');
    await expect.poll(() => stuck.innerText()).toMatch(/^\s*train/);
    expect(Math.abs((await stuck.boundingBox())!.y - (await main.boundingBox())!.y)).toBeLessThan(1);
    await main.evaluate((element) => element.scrollTo(0, 1e6));
    await page.getByRole('button', { name: 'Fold all' }).click();
    await expect.poll(() => parametersOf(visit).getAll('fold')).toEqual(['/all']);
    expect(await page.locator('article').count()).toBe(0);
    expect(await heads()).toEqual(['validation 2', 'train 3', 'gradients 3', 'General 1']);
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await expect.poll(() => page.locator('article').count()).toBeGreaterThan(0);
    await page.reload();
    await visit.settled();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
    expect(visit.faults).toEqual([]);
  });

  it('draws several tags in a panel, which the address keeps', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open(`/e/${id}?smoothing=0&run=${encodeURIComponent(runs[0]!.run)}&card=train/loss`);
    await page.getByLabel('Draw another tag in the same chart').selectOption('validation/loss');
    await page.getByRole('button', { name: 'Keep as panel' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    const listed = visit.card('train/loss, validation/loss');
    await listed.locator('.uplot').waitFor();
    await page.getByLabel('Filter tags by regular expression').fill('gradients/.*');
    await page.getByRole('button', { name: /^Combine \d+ charts$/ }).click();
    const matching = visit.card('gradients/.*');
    await matching.locator('.uplot').waitFor();
    await expect
      .poll(() => parametersOf(visit).getAll('panel'))
      .toEqual(['{"tags":["train/loss","validation/loss"]}', '{"match":"gradients/.*"}']);
    expect(parametersOf(visit).has('tagFilter')).toBe(false);
    expect(await matching.locator('.panel-legend li').allInnerTexts()).toEqual(['gradients/conv1', 'gradients/conv2', 'gradients/norm']);
    await page.reload();
    await visit.settled();
    for (const dark of [false, true]) {
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      expect(await violations(visit)).toEqual([]);
    }
    // The chart shows the logged values; the keyboard moves to the end of each line.
    await listed.locator('.chart-box').focus();
    await page.keyboard.press('End');
    const nearest = page.locator('.tooltip.on tr.nearest');
    await nearest.waitFor();
    const read = async () => (await nearest.locator('td').allTextContents()).slice(1);
    const logged = (tag: string, step: number) =>
      Math.fround(trainingEvents(runs[0]!).find((event) => event.step === step)!.scalars![tag]!);
    const seen = new Set<string>();
    for (const key of ['ArrowUp', 'ArrowDown', 'ArrowDown']) {
      await page.keyboard.press(key);
      const [name, , value, step] = await read();
      const tag = name!.endsWith('train/loss') ? 'train/loss' : 'validation/loss';
      seen.add(tag);
      expect(Math.abs(Number(value) - logged(tag, Number(step!.replace(',', ''))))).toBeLessThan(1e-3);
    }
    expect([...seen].sort()).toEqual(['train/loss', 'validation/loss']);
    await matching.hover();
    await matching.getByRole('button', { name: 'Remove gradients' }).click();
    await expect.poll(() => parametersOf(visit).getAll('panel').length).toBe(1);
    const hostile = '<img src=x onerror=alert(1)>\u202e';
    await visit.open(`/e/${id}?panel=${encodeURIComponent(JSON.stringify({ match: hostile }))}`);
    await page.getByText('No tags match this panel.').waitFor();
    expect(await page.locator('article img').count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });
});
