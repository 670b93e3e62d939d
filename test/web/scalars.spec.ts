import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { sweep, writeLongRun, writeTrainings } from './logs.ts';

/** The outlier of the long run: its step and value. */
const spike = { step: 654_321, value: 12.3456 };
const longPoints = 1_000_000;

describeWith(['chromium'], 'the page of scalars', () => {
  let site: Site;
  let id: string;
  let longId: string;

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep);
    id = (await site.upload(site.folder('sweep'), '--name', 'sweep')).experiment_id;
    await writeLongRun(site.folder('long'), 'run', 'loss', longPoints, (step) =>
      step === spike.step ? spike.value : 1 + Math.sin(step / 50_000) / 4,
    );
    longId = (await site.upload(site.folder('long'), '--name', 'a million')).experiment_id;
  });
  afterAll(() => site?.close());

  /** Returns a card's plot in pixels, and a pointer over it. */
  async function plotOf(visit: Visit, tag: string) {
    const box = (await visit.card(tag).locator('.u-over').boundingBox())!;
    return { ...box, at: (x: number, y = 0.5) => [box.x + x * box.width, box.y + y * box.height] as const };
  }

  async function drag(visit: Visit, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
    await visit.page.mouse.move(...from);
    await visit.page.mouse.down();
    await visit.page.mouse.move(...to, { steps: 4 });
    await visit.page.mouse.up();
  }

  const tooltip = (visit: Visit) => visit.page.locator('.tooltip.on').innerText();

  it('shows every chart, of all runs, without an error', async () => {
    const visit = await site.visit({ width: 1600, height: 1600 });
    const asked: string[] = [];
    visit.page.on('request', (request) => {
      if (request.url().endsWith('/scalars/query')) asked.push(...(request.postDataJSON() as { tags: string[] }).tags);
    });
    await visit.open(`/e/${id}?unfold=%2Fall`);
    expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted()); // No request is repeated.
    expect(asked).toHaveLength(9);
    expect(await visit.page.title()).toBe('sweep · Plotline');
    expect(await visit.page.locator('.card').count()).toBe(9);
    expect(await visit.page.locator('.run').count()).toBe(6);
    expect(await visit.card('validation/loss').locator('.card-note').textContent()).toMatch(/^1\.6 k points$/);
    expect(visit.requests.filter((request) => request.includes('/scalars/query')).length).toBeLessThanOrEqual(2);
    expect(visit.faults).toEqual([]);
  });

  it('has its first charts before any script runs', async () => {
    const visit = await site.visit({ held: true, width: 1600, height: 1600 });
    await visit.page.goto(`/e/${id}?unfold=%2Fall`, { waitUntil: 'commit' });
    await visit.page.locator('.card').nth(8).waitFor();
    expect(await visit.page.locator('.first-chart path[class^=c]').count()).toBeGreaterThan(50);
    expect(await visit.page.locator('.run').count()).toBe(6);
    expect(visit.faults).toEqual([]);
  });

  it('puts the canvas exactly over the server-rendered chart', async () => {
    const [before, after] = [await site.visit({ held: true }), await site.visit()];
    await before.page.goto(`/e/${id}?unfold=%2Fall`, { waitUntil: 'commit' });
    await before.page.locator('.card').nth(8).waitFor();
    await after.open(`/e/${id}?unfold=%2Fall`);
    const places = (visit: Visit, inner: string) =>
      visit.page
        .locator(inner)
        .evaluateAll((list) =>
          list.slice(0, 3).map((one) => Object.values(one.getBoundingClientRect().toJSON() as object).map(Math.round)),
        );
    expect(await places(after, '.card')).toEqual(await places(before, '.card'));
    const [canvases, pictures] = [(await places(after, '.u-over')).flat(), (await places(before, '.first-chart .plot')).flat()];
    // A canvas has whole pixels; cards that share the width may have fractional widths.
    expect(Math.max(...canvases.map((at, i) => Math.abs(at - pictures[i]!)))).toBeLessThanOrEqual(1);
    expect(canvases).toHaveLength(24);
  });

  it('reads all runs at the pointer, the nearest first', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?smoothing=0&tagFilter=validation/loss`);
    const plot = await plotOf(visit, 'validation/loss');
    const lit = visit.page.locator('.run.on .run-name');
    for (let y = 0.1; y < 1 && (await lit.count()) === 0; y += 0.1) await visit.page.mouse.move(...plot.at(0.2, y));
    const rows = await visit.page.locator('.tooltip.on tbody tr:not([hidden])').allInnerTexts();
    expect(rows).toHaveLength(6);
    expect(await tooltip(visit)).toMatch(/^step \d+ · /);
    // The same run is highlighted in the list.
    expect(rows[0]).toContain(await lit.getAttribute('title'));
  });

  it('zooms into finer data, updates the address, and goes back', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=train/loss`);
    expect(await visit.card('train/loss').locator('.card-note').textContent()).toContain('downsampled');
    const plot = await plotOf(visit, 'train/loss');
    await drag(visit, plot.at(0.4), plot.at(0.45, 0.52));
    await visit.page.waitForURL(/from=\d+&to=\d+/);
    await visit.settled();
    await expect.poll(() => visit.card('train/loss').locator('.card-note').textContent()).toMatch(/ points$/);
    await visit.page.reload();
    await visit.settled();
    expect(visit.page.url()).toMatch(/from=\d+&to=\d+/);
    await visit.page.goBack();
    await expect.poll(() => visit.page.url()).not.toContain('from=');
    await visit.page.goForward();
    await expect.poll(() => visit.page.url()).toContain('from=');
    await visit.settled();
    const zoomed = await plotOf(visit, 'train/loss');
    await visit.page.mouse.dblclick(...zoomed.at(0.5));
    await expect.poll(() => visit.page.url()).not.toContain('from=');
    expect(visit.faults).toEqual([]);
  });

  it('shows a single outlier of a million points without zoom, its value in the tooltip, and the raw points behind it', async () => {
    const visit = await site.visit({ width: 1280 });
    await visit.open(`/e/${longId}`);
    expect(await visit.card('loss').locator('.card-note').textContent()).toContain('1 M points, downsampled');
    const share = spike.step / (longPoints - 1);
    const plot = await plotOf(visit, 'loss');
    /**
     * Number of drawn pixels in the column of the spike, in the upper half, where nothing else is
     * drawn.
     */
    const inked = await visit.card('loss').evaluate((card, at) => {
      const canvas = card.querySelector('canvas')!;
      const [outer, over] = [canvas.getBoundingClientRect(), card.querySelector('.u-over')!.getBoundingClientRect()];
      const x = Math.round(over.left - outer.left + at * over.width);
      const top = Math.round(over.top - outer.top + over.height * 0.15);
      const { data } = canvas.getContext('2d')!.getImageData(x - 3, top, 7, Math.round(over.height * 0.35));
      const rows = new Set<number>();
      for (let i = 0; i < data.length; i += 4) {
        const [red, , blue, alpha] = data.slice(i, i + 4) as unknown as [number, number, number, number];
        if (alpha > 60 && Math.abs(red - blue) > 20) rows.add(Math.floor(i / 28));
      }
      return rows.size;
    }, share);
    expect(inked).toBeGreaterThan(plot.height * 0.3);
    let announced = '';
    for (let off = -2; off <= 2 && !announced.includes('to 12.3456'); off++) {
      await visit.page.mouse.move(plot.at(share)[0] + off, plot.at(0, 0.5)[1]);
      announced = await tooltip(visit);
    }
    expect(announced).toContain('to 12.3456');

    for (let i = 0; i < 4; i++) {
      const { from, to } = await rangeOf(visit);
      const now = await plotOf(visit, 'loss');
      const middle = (spike.step - from) / (to - from);
      const url = visit.page.url();
      await drag(visit, now.at(Math.max(0, middle - 0.04)), now.at(Math.min(1, middle + 0.04), 0.52));
      await expect.poll(() => visit.page.url()).not.toBe(url);
      await visit.settled();
    }
    expect(await visit.card('loss').locator('.card-note').textContent()).toMatch(/ points$/);
    const { from, to } = await rangeOf(visit);
    const near = await plotOf(visit, 'loss');
    await visit.page.mouse.move(...near.at((spike.step - from) / (to - from), 0.05));
    expect(await tooltip(visit)).toContain(`step ${spike.step.toLocaleString('en-US')}`);
    expect(await tooltip(visit)).toContain(String(spike.value));
    expect(visit.faults).toEqual([]);
  });

  async function rangeOf(visit: Visit): Promise<{ from: number; to: number }> {
    const { searchParams } = new URL(visit.page.url());
    return { from: Number(searchParams.get('from') ?? 0), to: Number(searchParams.get('to') ?? longPoints - 1) };
  }

  it('has its whole state in the address', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}`);
    const { page } = visit;
    await page.getByLabel('Smoothing, as a number').fill('0.9');
    await page.getByLabel('Y-axis scale').selectOption('log');
    await page.getByRole('radio', { name: 'Relative' }).check();
    await page.getByLabel('Chart settings').click();
    await page.getByLabel('Ignore outliers in y scaling').check();
    await page.keyboard.press('Escape');
    await page.getByLabel('Filter tags by regular expression').fill('loss');
    await page.getByLabel('Filter runs by regular expression').fill('0.0');
    await page.locator('.run label').first().click();
    await visit.card('train/loss').hover();
    await page.getByLabel('Pin train/loss').first().click();
    const wanted = {
      smoothing: '0.9',
      xAxis: 'relative',
      yScale: 'log',
      ignoreOutliers: 'true',
      tagFilter: 'loss',
      runFilter: '0.0',
      pinnedCards: '[{"plugin":"scalars","tag":"train/loss"}]',
      hide: 'sweep/lr=0.0003',
    };
    await expect.poll(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual(wanted);
    const other = await site.visit();
    await other.open(page.url());
    expect(await other.page.getByLabel('Smoothing, as a number').inputValue()).toBe('0.9');
    const heads = await other.page.locator('.group-head').allInnerTexts();
    expect(heads.map((head) => head.replaceAll(/\s+/g, ' '))).toEqual(['Pinned 1', 'validation 1', 'train 1']);
    expect(await other.page.locator('.runs-count span').first().innerText()).toBe('4 of 6 runs');
    expect(other.faults).toEqual([]);
  });

  it('draws each change of the smoothing, and what changes after it, as a new page would', async () => {
    const [visit, other] = [await site.visit({ width: 1600, height: 1600 }), await site.visit({ width: 1600, height: 1600 })];
    const pictures = ({ page }: Visit) =>
      page.locator('.card .uplot canvas:not(.overlay)').evaluateAll((list) => list.map((canvas) => canvas.toDataURL()));
    const equals = async (query: string, shown = id) => {
      await other.open(`/e/${shown}?unfold=%2Fall${query}`);
      await expect.poll(async () => JSON.stringify(await pictures(visit)) === JSON.stringify(await pictures(other))).toBe(true);
    };
    await visit.open(`/e/${id}?unfold=%2Fall`);
    const first = await pictures(visit);
    const slider = visit.page.locator('#smoothing');
    for (const smoothing of ['0.2', '0.95', '0.4', '0.8']) await slider.fill(smoothing);
    await equals('&smoothing=0.8');
    expect(await pictures(visit)).not.toEqual(first);
    await slider.fill('0.3');
    await visit.page.getByLabel('Y-axis scale').selectOption('log');
    await equals('&smoothing=0.3&yScale=log');
    await slider.fill('0');
    await equals('&smoothing=0&yScale=log');
    await slider.fill('0.6');
    await visit.page.emulateMedia({ colorScheme: 'dark' });
    await other.page.emulateMedia({ colorScheme: 'dark' });
    await equals('&yScale=log');
    // There are enough entries to draw them as a draft at first.
    for (let run = 0; run < 24; run++)
      await writeLongRun(site.folder('many'), `run ${run}`, 'loss', 600, (step) => Math.sin(step * (run + 1)) + step / 100);
    const { experiment_id: many } = await site.upload(site.folder('many'));
    await visit.open(`/e/${many}`);
    for (const smoothing of ['0.9', '0.3']) await slider.fill(smoothing);
    await equals('&smoothing=0.3', many);
    expect([...visit.faults, ...other.faults]).toEqual([]);
  });

  it('shows one chart in full screen, and its neighbors by arrow keys', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?card=train%2Floss`);
    const { page } = visit;
    expect(await page.locator('dialog.alone h3').innerText()).toBe('train/loss');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.locator('dialog.alone h3').innerText()).toBe('train/perplexity');
    await page.locator('dialog.alone .u-over').click();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.locator('dialog.alone h3').innerText()).toBe('train/loss');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url()).not.toContain('card=');
    await page.keyboard.press('/');
    expect(await page.evaluate(`document.activeElement?.getAttribute('aria-label')`)).toBe('Filter tags by regular expression');
  });

  it('combines tags in a chart, and shows the visible range in numbers', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?card=train%2Floss&smoothing=0`);
    const { page } = visit;
    await page.getByLabel('Draw another tag in the same chart').selectOption('validation/loss');
    await page.waitForURL(/with=validation/);
    await visit.settled();
    const box = (await page.locator('dialog .u-over').boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.2, box.y + box.height / 2);
    expect(await page.locator('.tooltip.on').innerText()).toMatch(/ · validation\/loss/);
    await page.getByRole('button', { name: 'Table' }).click();
    await expect.poll(() => page.locator('.range-table tbody tr').count()).toBe(12);
    expect(await page.locator('.range-table tbody tr').first().innerText()).toMatch(/sweep.*−\d/s);
    // A run has the same color for both tags, and a different dash for the second tag.
    const swatches = await page.locator('.range-table .swatch').evaluateAll((list) => list.map((one) => one.className.split(' ').slice(1)));
    expect(swatches.slice(6).map(([color]) => color)).toEqual(swatches.slice(0, 6).map(([color]) => color));
    expect(new Set(swatches.map(String)).size).toBe(12);
    expect(visit.faults).toEqual([]);
  });

  it('finds any page by a few letters', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}`);
    const { page } = visit;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('chart perplex');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('dialog.alone h3').innerText()).toBe('train/perplexity');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await page.locator('dialog.floating').innerText()).toContain('filter tags');
    await page.keyboard.press('Escape');
    const take = async (words: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
    };
    await take('compare');
    await page.getByLabel('Search experiments to compare with').waitFor();
    await page.keyboard.press('Escape');
    for (const [words, title] of [
      ['share', 'Share'],
      ['notes', 'sweep'],
    ] as const) {
      await take(words);
      await page.getByRole('dialog').getByRole('heading', { level: 2, name: title }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    }
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.keyboard.type('a million');
    await page.getByRole('option', { name: 'a million' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`/e/${longId}`);
    await page.getByRole('heading', { level: 1, name: 'a million' }).waitFor();
    // The workspace pages have the palette, too.
    for (const [words, title] of [
      ['tokens', 'Access tokens'],
      ['memb', /^Members of/],
      ['usage', 'Usage'],
      ['exp', 'Experiments'],
    ] as const) {
      await take(words);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
    }
    await take('sessions');
    await page.waitForURL('/sessions');
    expect(visit.faults).toEqual([]);
  });

  it('draws groups of runs as means with their spread', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?runColorGroup=regex:(lr)&spread=std&smoothing=0&tagFilter=validation/loss`);
    expect(await visit.card('validation/loss').locator('.card-note').textContent()).toBe('mean of 1.6 k points');
    const plot = await plotOf(visit, 'validation/loss');
    await visit.page.mouse.move(...plot.at(0.3));
    expect(await tooltip(visit)).toContain('mean of 6 runs');
    expect(visit.faults).toEqual([]);
  });

  it('sorts runs by a metric', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?runSort=last:validation/loss`);
    await expect.poll(() => visit.page.locator('.sorted-by').count()).toBe(6);
    const values = (await visit.page.locator('.sorted-by').allInnerTexts()).map(Number);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
  });

  it('exports every point, not a sample', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${longId}`);
    await visit.card('loss').hover();
    await visit.page.getByLabel('Download loss').click();
    const download = visit.page.waitForEvent('download');
    await visit.page.getByText('Points as CSV').click();
    const stream = await (await download).createReadStream();
    let lines = 0;
    let found = '';
    for await (const piece of stream) {
      const text = String(piece);
      lines += text.split('\n').length - 1;
      found ||= /(654321,[^\r\n]*)/.exec(text)?.[1] ?? '';
    }
    expect(lines).toBe(longPoints + 1);
    expect(found).toContain(String(Math.fround(spike.value)));
  });
});
