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
