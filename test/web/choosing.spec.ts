import { buffer } from 'node:stream/consumers';
import type { Download, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { sweep, writeTrainings } from './logs.ts';

describeWith(['chromium'], 'choosing what is shown', () => {
  let site: Site;
  let id: string;
  let otherId: string;

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep);
    id = (await site.upload(site.folder('sweep'), '--name', 'sweep')).experiment_id;
    await writeTrainings(
      site.folder('other'),
      sweep.slice(0, 2).map((training) => ({ ...training, seed: training.seed + 100 })),
    );
    otherId = (await site.upload(site.folder('other'), '--name', 'again // with other seeds')).experiment_id;
  });
  afterAll(() => site?.close());

  const shownRuns = (visit: Visit) =>
    visit.page.locator('.run:not(.off) .run-name').evaluateAll((names) => names.map((one) => one.getAttribute('title')));
  const parameters = (visit: Visit) => new URL(visit.page.url()).searchParams;

  async function point(visit: Visit, tag: string, x: number, y: number): Promise<void> {
    const box = (await visit.card(tag).locator('.u-over').boundingBox())!;
    await visit.page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  }

  it('reads the values at the pointer in a chosen order', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?smoothing=0&tagFilter=validation/loss`);
    await visit.page.getByLabel('Chart settings').click();
    await visit.page.getByLabel('Tooltip order').selectOption('Largest first');
    await visit.page.keyboard.press('Escape');
    await point(visit, 'validation/loss', 0.2, 0.9);
    const cells = await visit.page.locator('.tooltip.on tbody tr:not([hidden]) td:nth-child(4)').allInnerTexts();
    const values = cells.map(Number);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(values).toHaveLength(6);
    expect(await visit.page.locator('.tooltip.on tr.nearest').count()).toBe(1);
    await expect.poll(() => parameters(visit).get('tooltipSort')).toBe('descending');
    expect(visit.faults).toEqual([]);
  });

  it('filters runs by conditions over all of its runs', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=train/loss`);
    await visit.page.getByLabel('Filter, sort, color and group runs').click();
    await visit.page.getByLabel(/^Filter by/).selectOption('m:train/accuracy');
    await visit.page.getByLabel('Filter by train/accuracy').fill('> 0.9');
    await expect.poll(() => visit.page.locator('.run').count()).toBeLessThan(6);
    const some = await shownRuns(visit);
    expect(some.length).toBeGreaterThan(0);
    await expect.poll(() => parameters(visit).get('where')).toBe('m%3Atrain%2Faccuracy > 0.9');
    const again = await site.visit();
    await again.open(visit.page.url());
    await expect.poll(() => shownRuns(again)).toEqual(some);
    await again.settled();
    await point(again, 'train/loss', 0.1, 0.5);
    expect(await again.page.locator('.tooltip.on tbody tr:not([hidden])').count()).toBe(some.length);
    await again.page.getByLabel('Remove the filter on train/accuracy').click();
    await expect.poll(() => again.page.locator('.run').count()).toBe(6);
    expect([...visit.faults, ...again.faults]).toEqual([]);
  });

  it('shows and hides many runs at once', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=loss`);
    const tick = (at: number, shift: boolean) =>
      visit.page
        .locator('.run label')
        .nth(at)
        .click({ modifiers: shift ? ['Shift'] : [] });
    await tick(1, false);
    await tick(4, true);
    await expect.poll(() => shownRuns(visit)).toHaveLength(2);
    await expect.poll(() => parameters(visit).getAll('hide')).toHaveLength(4);
    await visit.page.getByRole('button', { name: 'Show all' }).click();
    await visit.page.getByRole('button', { name: 'Hide all' }).click();
    await expect.poll(() => shownRuns(visit)).toEqual([]);
    await expect.poll(() => visit.page.url()).toMatch(/[?&]run=$/);
    await visit.page.reload();
    await visit.settled();
    expect(await shownRuns(visit)).toEqual([]);
    expect(await visit.card('train/loss').locator('.chart-message').innerText()).toBe('No data for the selected runs.');
    await tick(2, false);
    await expect.poll(() => shownRuns(visit)).toEqual(['sweep/lr=0.003']);
    expect(visit.faults).toEqual([]);
  });

  it('shows the server-rendered charts only for their own experiment and view', async () => {
    const visit = await site.visit();
    const held: Route[] = [];
    await visit.page.route('**/scalars/query', (route) => void held.push(route));
    const pictures = visit.page.locator('.first-chart');
    const arrive = async (): Promise<void> => {
      await visit.page.goto(`/e/${id}`);
      await visit.page.locator('#page[data-drawn] .first-chart').first().waitFor();
    };
    await arrive();
    await visit.page.keyboard.press('ControlOrMeta+k');
    await visit.page.locator('.floating input').fill('again //');
    await visit.page.getByRole('option', { name: /^again/ }).click();
    await visit.page.getByRole('heading', { name: 'again // with other seeds' }).waitFor();
    await visit.card('validation/loss').waitFor();
    expect(await pictures.count()).toBe(0);

    await arrive();
    await visit.page.locator('.run label').first().click();
    await expect.poll(() => pictures.count()).toBe(0);
    await visit.page.unroute('**/scalars/query');
    for (const route of held) await route.continue().catch(() => undefined); // Some were aborted.
    await visit.settled();
    expect(visit.faults).toEqual([]);
  });

  it('keeps working if a chart cannot be drawn', async () => {
    const visit = await site.visit();
    // As in a browser without memory for another canvas.
    await visit.page.addInitScript(`{
      const make = document.createElement;
      let refused = false;
      document.createElement = function (name, ...more) {
        if (name === 'canvas' && !refused && (refused = true)) throw new Error('no memory for a canvas');
        return make.call(this, name, ...more);
      };
    }`);
    await visit.page.goto(`/e/${id}?tagFilter=loss`);
    await visit.page.getByText("This chart can't be shown.").waitFor();
    await expect.poll(() => visit.page.locator('.card .uplot').count()).toBe(1);
    await visit.page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => visit.page.locator('.card .uplot').count()).toBe(2);
  });

  it('has long addresses, and warns about them', async () => {
    const visit = await site.visit();
    const many = Array.from({ length: 300 }, (_, i) => `hide=${'x'.repeat(70)}${i}`).join('&');
    await visit.open(`/e/${id}?tagFilter=train/loss&${many}&hide=sweep/lr=0.1`);
    expect(await visit.page.locator('.address-note').innerText()).toMatch(/^This view's address has \d\d\D\d\d\d characters/);
    expect(await shownRuns(visit)).toHaveLength(5);
    await visit.page.getByRole('button', { name: 'Show all' }).click();
    await visit.page.locator('.address-note').waitFor({ state: 'detached' });
    expect(visit.faults).toEqual([]);
  });

  it('names missing charts of an address', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=train/loss&card=train/lost`);
    expect(await visit.page.locator('.address-note').innerText()).toContain('There is no chart “train/lost”.');
    await visit.page.getByRole('button', { name: 'All charts' }).click();
    await visit.page.locator('.address-note').waitFor({ state: 'detached' });
    await visit.page.waitForURL((url) => !url.searchParams.has('card'));
    await visit.open(`/e/${id}?compare=${'A'.repeat(22)}`);
    await visit.page.locator('.address-note', { hasText: `Not compared with ${'A'.repeat(22)}` }).waitFor();
  });

  it('saves charts as images with background, title and legend, and points as JSON Lines', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=train/loss`);
    const take = async (what: string) => {
      await visit.card('train/loss').hover();
      await visit.page.getByLabel('Download train/loss').click();
      const download = visit.page.waitForEvent('download');
      await visit.page.getByRole('button', { name: what }).click();
      await visit.page.keyboard.press('Escape');
      return download;
    };
    const bytesOf = async (download: Download) => buffer(await download.createReadStream());
    const png = await bytesOf(await take('Image as PNG'));
    const canvas = (await visit.card('train/loss').locator('.uplot canvas').first().boundingBox())!;
    const found = await visit.page.evaluate<{ height: number; alpha: number }>(`(async () => {
      const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (letter) => letter.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = document.createElement('canvas');
      const pen = canvas.getContext('2d');
      pen.drawImage(picture, 0, 0);
      return { height: picture.height, alpha: pen.getImageData(0, 0, 1, 1).data[3] };
    })()`);
    expect(found.alpha).toBe(255);
    expect(found.height).toBeGreaterThan(canvas.height + 6 * 18);
    const points = await take('Points as JSON Lines');
    expect(points.suggestedFilename()).toMatch(/\.jsonl$/);
    const lines = (await bytesOf(points)).toString().trim().split('\n');
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(['object']);
    expect(visit.faults).toEqual([]);
  });

  it('shows the runs of another experiment beside its own', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?smoothing=0&tagFilter=loss`);
    await visit.page.getByLabel('Compare with other experiments').click();
    await visit.page.getByLabel('again // with other seeds').click();
    await expect.poll(() => visit.page.locator('.run').count()).toBe(8);
    await visit.settled();
    expect(await shownRuns(visit)).toContain('again // with other seeds: sweep/lr=0.001');
    await expect.poll(() => visit.card('validation/loss').locator('.card-note').textContent()).toBe('2.2 k points');
    await expect.poll(() => parameters(visit).get('compare')).toBe(otherId);
    await visit.page.getByLabel('Filter runs by regular expression').fill('0\\.001$');
    await expect.poll(() => visit.page.locator('.run').count()).toBe(2);
    await visit.settled();
    await point(visit, 'validation/loss', 0.1, 0.5);
    expect(await visit.page.locator('.tooltip.on tbody tr:not([hidden])').allInnerTexts()).toHaveLength(2);

    await visit.page.locator('.run').nth(1).hover();
    await visit.page.getByLabel('Show again // with other seeds: sweep/lr=0.001 alone').click();
    await expect.poll(() => parameters(visit).getAll('run')).toEqual([`${otherId}//sweep/lr=0.001`]);
    const renamed = await site.service.fetch(`/experiments/${otherId}`, { method: 'PATCH', body: JSON.stringify({ name: 'renamed' }) });
    expect(renamed.status).toBe(200);
    await visit.page.reload();
    await expect.poll(() => shownRuns(visit)).toEqual(['renamed: sweep/lr=0.001']);

    const again = await site.visit();
    await again.open(`/e/${id}?compare=${otherId}&compare=0000000000000000000000&compare=../../x&tab=hparams`);
    await again.page.getByLabel('Compared with 3: choose experiments').click();
    expect(await again.page.locator('.compare .bad').innerText()).toBe('0000000000000000000000 cannot be read');
    await again.page.locator('.compare .bad').click();
    await expect.poll(() => again.page.locator('.compare .bad').count()).toBe(0);
    expect(again.requests.filter((request) => request.includes('..') && !request.includes('/e/'))).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('shows single charts, for a frame', async () => {
    const [all, one] = [await site.visit({ width: 600, height: 400 }), await site.visit({ width: 600, height: 400, dark: true })];
    await all.open(`/e/${id}?embed=true&tagFilter=loss`);
    expect(await all.page.locator('header.bar, aside, .toolbar').count()).toBe(0);
    expect(await all.page.locator('.card').count()).toBe(2);
    await one.open(`/e/${id}?embed=true&card=train/loss&runFilter=0.01`);
    expect(await one.page.locator('.card').count()).toBe(1);
    expect(await one.page.locator('footer .run-name').getAttribute('title')).toBe('sweep/lr=0.01');
    expect(await one.page.locator('footer a').getAttribute('href')).toBe(`/e/${id}?runFilter=0.01&card=train%2Floss`);
    const box = (await one.card('train/loss').boundingBox())!;
    expect(box.height).toBeGreaterThan(330);
    expect([...all.faults, ...one.faults]).toEqual([]);
  });
});
