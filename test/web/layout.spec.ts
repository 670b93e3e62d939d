import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site } from './browser.ts';
import { writeRun } from './logs.ts';
import { violations } from './violations.ts';

describeWith(['chromium'], 'the layout of charts', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    const scalars = Object.fromEntries(Array.from({ length: 24 }, (_, i) => [`group/loss${i}`, i]));
    await writeRun(site.folder('log'), 'run', [
      { step: 0, wallTime: 1_795_255_000, scalars },
      { step: 1, wallTime: 1_795_255_001, scalars },
    ]);
    id = (await site.upload(site.folder('log'), '--name', 'layout')).experiment_id;
  });
  afterAll(() => site?.close());

  it('has cards of three sizes, in the address and before any script runs', async () => {
    const visit = await site.visit({ width: 1600, height: 1000 });
    const { page } = visit;
    await visit.open(`/e/${id}`);
    const card = page.locator('article.card').first();
    const height = async () => (await card.boundingBox())!.height;
    const inFirstRow = () =>
      page
        .locator('article.card')
        .evaluateAll(
          (cards) => cards.filter((one) => Math.abs(one.getBoundingClientRect().top - cards[0]!.getBoundingClientRect().top) < 1).length,
        );
    expect([await height(), await inFirstRow()]).toEqual([240, 3]);
    await page.getByLabel('Chart settings').click();
    for (const [size, pixels, columns] of [
      ['large', 360, 2],
      ['small', 180, 5],
    ] as const) {
      await page.getByLabel('Card size').selectOption(size);
      await expect.poll(height).toBe(pixels);
      expect(await inFirstRow()).toBe(columns);
    }
    expect(await violations(visit)).toEqual([]);
    await page.waitForURL(/cardSize=small/);
    const held = await site.visit({ held: true, width: 1600, height: 1000 });
    await held.page.goto(`/e/${id}?cardSize=large`, { waitUntil: 'commit' });
    await held.page.locator('article.card svg').first().waitFor();
    expect((await held.page.locator('article.card').first().boundingBox())!.height).toBe(360);
    expect(visit.faults).toEqual([]);
  });

  it('shows the whole name of an experiment and all its actions, also beside labels and a description', async () => {
    const { experiment_id: named } = await site.upload(
      site.folder('log'),
      '--name',
      'Learning rates of ViT',
      '--description',
      'd '.repeat(200),
    );
    const labels = { labels: Array.from({ length: 50 }, (_, i) => `label ${i}`) };
    await site.service.fetch(`/experiments/${named}`, { method: 'PATCH', body: JSON.stringify(labels) });
    for (const width of [390, 800, 1024, 1120, 1280, 1600]) {
      const visit = await site.visit({ width, height: 900 });
      await visit.open(`/e/${named}?smoothing=0.9`);
      const title = visit.page.locator('.experiment-head h1 button');
      expect([width, await title.evaluate((one) => one.scrollWidth <= one.clientWidth)]).toEqual([width, true]);
      expect((await visit.page.locator('.experiment-head').boundingBox())!.height).toBeLessThan(width < 700 ? 220 : 100);
      const share = (await visit.page.getByRole('button', { name: 'Share' }).boundingBox())!;
      expect(share.x + share.width).toBeLessThanOrEqual(width);
    }
  });

  it('moves cards by drag, by menu and by key, within their section, and widens one', async () => {
    const visit = await site.visit({ width: 1600, height: 1000 });
    const { page } = visit;
    await visit.open(`/e/${id}`);
    const names = () => page.locator('article.card').evaluateAll((cards) => cards.map((one) => one.getAttribute('aria-label')));
    const shown = async (count: number) => (await names()).slice(0, count);
    const loss = (...numbers: number[]) => numbers.map((number) => `group/loss${number}`);
    await expect.poll(() => shown(4)).toEqual(loss(0, 1, 2, 3));
    const title = (tag: string) => page.locator(`article[aria-label="${tag}"] h3`);
    await title('group/loss5').dragTo(page.locator('article[aria-label="group/loss1"]'), { targetPosition: { x: 20, y: 120 } });
    await expect.poll(() => shown(4)).toEqual(loss(0, 5, 1, 2));
    await page.waitForURL(/order=group%2Floss0&order=group%2Floss5$/);
    await title('group/loss0').dragTo(page.locator('article[aria-label="group/loss2"]'), { targetPosition: { x: 300, y: 120 } });
    await expect.poll(() => shown(4)).toEqual(loss(5, 1, 2, 0));
    const arrange = (tag: string) => page.getByRole('button', { name: `Arrange ${tag}` });
    const focused = () => page.evaluate<string>(`document.activeElement?.getAttribute('aria-label')`);
    await arrange('group/loss0').focus();
    await page.keyboard.press('Control+ArrowLeft'); // Not a key of the page
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => shown(4)).toEqual(loss(5, 1, 0, 2));
    await expect.poll(focused).toBe('Arrange group/loss0');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => shown(4)).toEqual(loss(5, 1, 2, 0));
    await page.keyboard.press('ArrowRight'); // To another row
    await expect.poll(() => shown(5)).toEqual(loss(5, 1, 2, 3, 0));
    await expect.poll(focused).toBe('Arrange group/loss0');
    await page.keyboard.press('Enter');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    await page.getByRole('button', { name: 'Move to start' }).click();
    await expect.poll(() => shown(3)).toEqual(loss(0, 5, 1));
    await arrange('group/loss5').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Full width' }).click();
    const box = async (tag: string) => (await page.locator(`article[aria-label="${tag}"]`).boundingBox())!;
    await expect.poll(async () => (await box('group/loss5')).height).toBe(360);
    expect((await box('group/loss5')).width).toBeGreaterThan(2.9 * (await box('group/loss0')).width);
    await page.waitForURL(/wide=group%2Floss5/);
    const address = page.url();
    const held = await site.visit({ held: true, width: 1600, height: 1000 });
    await held.page.goto(address, { waitUntil: 'commit' });
    await held.page.locator('article.card svg').first().waitFor();
    expect((await held.page.locator('article[aria-label="group/loss5"]').boundingBox())!.height).toBe(360);
    await page.reload();
    await visit.settled();
    expect(await shown(3)).toEqual(loss(0, 5, 1));
    await page.goBack(); // To the normal width
    await expect.poll(async () => (await box('group/loss5')).height).toBe(240);
    await arrange('group/loss5').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Reset section order' }).click();
    await expect.poll(() => shown(4)).toEqual(loss(0, 1, 2, 3));
    // Pinned cards are a separate section.
    for (const tag of loss(3, 4))
      await page
        .getByRole('button', { name: `Pin ${tag}` })
        .first()
        .click();
    await expect.poll(() => shown(2)).toEqual(loss(3, 4));
    await arrange('group/loss4').first().focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => shown(2)).toEqual(loss(4, 3));
    await page.setViewportSize({ width: 390, height: 844 });
    await arrange('group/loss4').first().click();
    const list = (await page.locator('.menu-list:not([hidden])').boundingBox())!;
    expect(list.x).toBeGreaterThanOrEqual(0);
    expect(list.x + list.width).toBeLessThanOrEqual(390);
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('button', { name: 'Move right' }).click();
    await expect.poll(() => shown(2)).toEqual(loss(3, 4));
    expect(visit.faults).toEqual([]);
  });

  it('hides the header on a phone while the reader scrolls down', async () => {
    const visit = await site.visit({ width: 390, height: 844 });
    const { page } = visit;
    await visit.open(`/e/${id}`);
    const header = page.locator('header.bar');
    const scroll = (by: number) => page.locator('main.cards').evaluate((element, pixels) => element.scrollBy(0, pixels), by);
    await scroll(400);
    await expect.poll(() => header.isVisible()).toBe(false);
    await scroll(300);
    expect(await header.isVisible()).toBe(false);
    expect(await violations(visit)).toEqual([]);
    await scroll(-120);
    await expect.poll(() => header.isVisible()).toBe(true);
    await scroll(400);
    await expect.poll(() => header.isVisible()).toBe(false);
    await scroll(-5_000);
    await expect.poll(() => header.isVisible()).toBe(true);
    expect(visit.faults).toEqual([]);
  });
});
