import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { violations } from './violations.ts';

const logs = join(import.meta.dirname, '../data/logs');

describeWith(['chromium'], 'data other than scalars', () => {
  let site: Site;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    site = await Site.start();
    const upload = async (name: string) => ids.set(name, (await site.upload(join(logs, name), '--name', name)).experiment_id);
    await Promise.all(['tf2_summaries', 'tf1_legacy', 'torch', 'keras_hparams'].map(upload));
  });
  afterAll(() => site?.close());

  async function open(name: string, query: string): Promise<Visit> {
    const visit = await site.visit({ width: 1600, height: 1000 });
    await visit.open(`/e/${ids.get(name)}?${query}`);
    return visit;
  }

  it('has a tab for each kind of data', async () => {
    const visit = await open('tf2_summaries', '');
    expect(await visit.page.locator('.tabs a').allInnerTexts()).toEqual(
      'Scalars, Runs, Distributions, Images, Audio, Text, PR curves, Meshes, Graph, Other'.split(', '),
    );
    await visit.page.getByRole('link', { name: 'Images' }).click();
    await visit.page.waitForURL(/tab=images/);
    await visit.page.goBack();
    await expect.poll(() => visit.page.locator('.card').count()).toBeGreaterThan(0);
    expect(visit.faults).toEqual([]);
  });

  const theirPictures = (visit: Visit) =>
    visit.page.locator('.picture-set', { has: visit.page.locator('[title^="tf2_summaries: "]') }).locator('.picture img');

  it.each(['histograms', 'images', 'audio', 'text', 'pr_curves'])('shows the runs of another experiment among its own: %s', async (tab) => {
    const visit = await open('torch', `compare=${ids.get('tf2_summaries')}&tab=${tab}&tagFilter=alpha`);
    const theirs = visit.page.locator('main .run-caption .run-name[title^="tf2_summaries: "]');
    // The other experiment's runs are listed after the page's own items. Items far below are drawn
    // only when they come near the view.
    await expect
      .poll(async () => {
        await visit.page.locator('main section > div').last().scrollIntoViewIfNeeded();
        return theirs.count();
      })
      .toBeGreaterThan(0);
    await theirs.first().waitFor();
    // Images far below wait until they are near the view.
    if (tab === 'images')
      await expect.poll(() => theirPictures(visit).evaluateAll((list) => list.some((one) => one.naturalWidth > 0))).toBe(true);
    await visit.settled();
    expect(visit.faults).toEqual([]);
  });

  it('shows histograms with their logged bins', async () => {
    const visit = await open('tf2_summaries', 'tab=histograms&tagFilter=alpha/normal');
    const card = visit.page.locator('.card');
    await expect.poll(() => card.locator('path.step').count()).toBe(7);
    expect(await card.locator('.card-note').innerText()).toBe('7 of 7 steps');
    const box = (await card.locator('svg').boundingBox())!;
    await visit.page.mouse.move(box.x + box.width / 2, box.y + box.height - 30);
    expect(await card.locator('.card-note').innerText()).toMatch(/^step 6: \d+ from .* to /);
    for (const form of ['Overlay', 'Percentiles']) {
      await visit.page.getByRole('radio', { name: form }).check();
      await expect.poll(() => card.locator(`svg.${form.toLowerCase()}`).count()).toBe(1);
    }
    await expect.poll(() => visit.page.url()).toContain('histograms=percentiles');
    expect(visit.faults).toEqual([]);
  });

  it('shows images at the chosen step, for all tags', async () => {
    const visit = await open('tf2_summaries', 'tab=images&tagFilter=rgb u8');
    const pictures = () => visit.page.locator('.picture img').evaluateAll((list) => list.map((one) => one.naturalWidth as number));
    await expect.poll(async () => (await pictures()).length > 0 && (await pictures()).every((width) => width > 0)).toBe(true);
    const sources = () => visit.page.locator('.picture img').evaluateAll((list) => list.map((one) => one.src as string));
    const before = await sources();
    await visit.page.getByLabel('Step of alpha/rgb u8').fill('2');
    await visit.page.waitForURL(/step=2/);
    await expect.poll(async () => (await sources()).filter((source) => before.includes(source))).toEqual([]);
    await visit.page.locator('.picture').first().click();
    expect(await visit.page.locator('dialog.alone img').count()).toBeGreaterThan(0);
    expect(visit.faults).toEqual([]);
  });

  it('plays sounds', async () => {
    const visit = await open('tf2_summaries', 'tab=audio&tagFilter=mono');
    const clip = visit.page.locator('audio');
    await expect.poll(() => clip.count()).toBe(1);
    const seconds = await clip.evaluate(async (element) => {
      element.preload = 'auto';
      element.load();
      await new Promise((resolve, reject) => {
        element.onloadedmetadata = resolve;
        element.onerror = () => reject(new Error(element.error?.message));
      });
      return element.duration as number;
    });
    expect(seconds).toBeGreaterThan(0);
    expect(visit.faults).toEqual([]);
  });

  it('draws the waveform of a sound, and goes to its position', async () => {
    const visit = await open('tf2_summaries', 'tab=audio&tagFilter=mono');
    const { page } = visit;
    await page.getByLabel('Waveforms').check();
    await page.waitForURL(/waveforms=true/);
    const waveform = page.locator('svg.waveform');
    await waveform.waitFor();
    const clip = page.locator('audio');
    const wave = await page.request.get(await clip.evaluate((element) => element.src as string)).then((response) => response.body());
    // 16-bit PCM after a header of 44 bytes
    expect([wave.toString('latin1', 8, 16), wave.readUInt16LE(20), wave.readUInt16LE(34)]).toEqual(['WAVEfmt ', 1, 16]);
    const samples = Array.from({ length: (wave.length - 44) / 2 }, (_, i) => wave.readInt16LE(44 + 2 * i) / 32_768);
    const seconds = samples.length / wave.readUInt16LE(22) / wave.readUInt32LE(24);
    const largest = Math.max(...samples.map(Math.abs));
    const [, shownSeconds, shownLargest] = /^Waveform: (.*) s, largest amplitude (.*)$/.exec((await waveform.getAttribute('aria-label'))!)!;
    expect(Number(shownSeconds)).toBeCloseTo(seconds, 1);
    expect(Number(shownLargest)).toBeCloseTo(largest, 1); // the browser resamples
    await waveform.click();
    await expect.poll(() => clip.evaluate((element) => element.currentTime / element.duration)).toBeCloseTo(0.5, 1);
    await waveform.locator('.position').waitFor({ state: 'attached' });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    expect(visit.faults).toEqual([]);
  });

  it('shows texts as Markdown, and never as HTML', async () => {
    const visit = await open('tf2_summaries', 'tab=text&tagFilter=alpha/text');
    await expect.poll(() => visit.page.locator('.markdown strong').innerText()).toBe('step 6');
    expect(await visit.page.locator('.markdown').innerText()).toContain('<script>alert(1)</script>');
    expect(visit.faults).toEqual([]);
  });

  it('shows precision-recall curves', async () => {
    const visit = await open('tf2_summaries', 'tab=pr_curves&tagFilter=alpha/pr');
    await expect.poll(() => visit.page.locator('.curves .line path').count()).toBe(1);
    // Run, step, average precision, area, threshold
    expect(await visit.page.locator('.figures tbody tr').innerText()).toMatch(/curves & meshes\s+3\s+0\.\d{4}\s+0\.\d{4}\s+0\.\d{3}\s/);
    expect(visit.faults).toEqual([]);
  });

  it('compares trials: sorts, filters, and hides what is equal', async () => {
    const visit = await open('keras_hparams', 'tab=hparams');
    const { page } = visit;
    const first = () => page.locator('.hparams tbody tr').evaluateAll((rows) => rows.map((row) => row.querySelector('th')?.textContent));
    await expect.poll(first).toHaveLength(5);
    // The heads are in one row, each above the cells of its column
    const lefts = (row: string) =>
      page
        .locator(row)
        .evaluate((one) =>
          [...one.children].map((cell) => [
            cell.getBoundingClientRect().left,
            cell.getBoundingClientRect().top - one.getBoundingClientRect().top,
          ]),
        );
    expect(await lefts('.hparams thead tr:first-child')).toEqual(await lefts('.hparams tbody tr:first-child'));
    await page.getByRole('button', { name: 'learning rate' }).click();
    await page.waitForURL(/sort=h/);
    expect((await first())[0]).toMatch(/trial-1|trial-3/);
    await page.getByLabel('Filter by optimizer').fill('adam');
    await expect.poll(first).toHaveLength(3);
    await page.getByLabel('Filter by dropout').fill('> 0.15');
    await expect.poll(first).toEqual([expect.stringContaining('killed')]);
    await page.getByLabel('Hide constant columns').check();
    await page.waitForURL(/differ=true/);
    await page.reload();
    await expect.poll(first).toEqual([expect.stringContaining('killed')]);
    expect(visit.faults).toEqual([]);
  });

  it('shows a graph, opens its scopes and finds operations', async () => {
    const visit = await open('tf1_legacy', 'tab=graphs');
    const { page } = visit;
    await page.getByRole('button', { name: /^alpha_net, / }).click();
    await page.waitForURL(/open=alpha_net%2F/);
    await expect.poll(() => page.locator('.part .part').count()).toBeGreaterThan(1);
    await page.getByLabel('Find an operation').fill('matmul');
    await page.locator('.found button').first().click();
    await page.getByLabel('Find an operation').fill('');
    await expect.poll(() => page.locator('.operation dl').innerText()).toContain('MatMul');
    await page.getByLabel('Color by').selectOption('time');
    await expect.poll(() => page.locator('.part.heat').count()).toBeGreaterThan(0);
    expect(visit.faults).toEqual([]);
  });

  it('shows a Keras model', async () => {
    const visit = await open('tf2_summaries', 'tab=graphs');
    await visit.page.locator('.toolbar select').first().selectOption({ label: 'graphs: Keras model' });
    await expect.poll(() => visit.page.getByRole('button', { name: 'alpha_dense, Dense' }).count()).toBe(1);
    expect(visit.faults).toEqual([]);
  });

  it('reports a part of the page that can no longer be loaded, and keeps the rest working', async () => {
    const visit = await open('tf2_summaries', '');
    const { page } = visit;
    const gone = /\/(images-panel|share-dialog|home-route)-[^/]*\.js$/;
    // As after an update of the service.
    await page.route(gone, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Images' }).click();
    await page.getByText("Can't load this part").waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('dialog').getByText("Can't load this part").waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Text' }).click();
    await page.locator('.logged-text').first().waitFor();
    await page.getByRole('link', { name: 'Plotline' }).click();
    await page.getByText("This page can't be shown").waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Images' }).click();
    await page.unroute(gone);
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.locator('.picture-set').first().waitFor();
  });

  it('reports that live updates are off if their script cannot be loaded', async () => {
    const visit = await site.visit();
    await visit.page.route(/\/follow-[^/]*\.js$/, (route) => route.fulfill({ status: 404 }));
    await visit.open(`/e/${ids.get('tf2_summaries')}`);
    await visit.page.getByText('not live; reload the page').waitFor();
  });

  it('offers a line to copy by hand if the browser denies the clipboard', async () => {
    const visit = await site.visit();
    // As on http:// in a private network.
    await visit.page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await visit.open(`/e/${ids.get('tf2_summaries')}?tab=other`);
    await visit.page.getByRole('button', { name: 'Copy' }).click();
    await visit.page.getByText(/^Press (Ctrl C|⌘C)$/).waitFor();
    expect(await visit.page.evaluate('getSelection().toString()')).toBe(await visit.page.locator('.command code').innerText());
    expect(visit.faults).toEqual([]);
  });

  it('lists data that it does not draw, and where to see it', async () => {
    const visit = await open('tf2_summaries', 'tab=other');
    await expect.poll(() => visit.page.locator('tbody tr').count()).toBeGreaterThan(20);
    expect(await visit.page.locator('.command').innerText()).toContain('plotline -- tensorboard ');
    expect(visit.faults).toEqual([]);
  });
});
