import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site } from './browser.ts';
import { violations } from './violations.ts';
import { sweep, writeTrainings } from './logs.ts';

const logs = join(import.meta.dirname, '../data/logs');

describeWith(['chromium'], 'everybody can use', () => {
  let site: Site;
  let addresses: Record<string, string>;

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 3));
    const [plain, all] = await Promise.all([
      site.upload(site.folder('sweep'), '--name', 'sweep', '--description', 'Learning rates of a small network'),
      site.upload(join(logs, 'torch'), '--name', 'torch'),
    ]).then((uploads) => uploads.map((one) => one.experiment_id));
    const tabs = ['histograms', 'images', 'audio', 'text', 'pr_curves', 'hparams', 'graphs', 'other'];
    addresses = {
      'the list of experiments': '/',
      'an experiment': `/e/${plain}`,
      members: '/members',
      tokens: '/tokens',
      usage: '/usage',
      sessions: '/sessions',
      workspaces: '/workspaces',
      'a device signs in': '/device',
      'one chart': `/e/${plain}?card=train%2Floss`,
      'an address of nothing': '/e/0000000000000000000000',
      ...Object.fromEntries(tabs.map((tab) => [tab, `/e/${all}?tab=${tab}`])),
    };
  });
  afterAll(() => site?.close());

  it('goes on with the keyboard where it was, whatever was opened and closed', async () => {
    const visit = await site.visit();
    const { page } = visit;
    const focused = () => page.evaluate<string>(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.tagName`);
    await visit.open(`${addresses['an experiment']!}?tagFilter=loss`);
    const alone = page.locator('dialog.alone');
    await page.getByLabel('Full screen: train/loss').focus();
    await page.keyboard.press('Enter');
    await alone.waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/card=validation/);
    // What had the focus is another card's now
    await alone.getByLabel('Pin validation/loss').click();
    for (const [key, tag] of [
      ['ArrowRight', 'train'],
      ['ArrowLeft', 'validation'],
      ['ArrowRight', 'train'],
    ] as const) {
      await page.keyboard.press(key);
      await page.waitForURL(new RegExp(`card=${tag}`));
    }
    await alone.getByLabel('Download train/loss').click();
    await page.keyboard.press('Escape');
    await alone.getByText('Points as CSV').waitFor({ state: 'hidden' });
    expect(await focused()).toBe('Download train/loss');
    await alone.locator('.run').first().hover();
    await alone
      .getByLabel(/^About /)
      .first()
      .click();
    await page.locator('.dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.dialog').waitFor({ state: 'detached' });
    expect(await alone.count()).toBe(1);
    await alone.getByLabel('Close').click();
    await alone.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Full screen: train/loss');

    await page.keyboard.press('ControlOrMeta+k');
    await page.locator('.floating input').fill('reset zoom');
    await page.keyboard.press('Enter');
    await page.locator('.floating input').waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Full screen: train/loss');
    expect(visit.faults).toEqual([]);
  });

  const withoutScript = new Set(['an address of nothing', 'sessions', 'workspaces', 'a device signs in']);
  const forms = [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ];

  // Both themes of a page that was loaded once: themes are the style sheet's, and a script that has to follow one follows its change
  it.each(forms)('every page, light and dark (%o)', { timeout: 300_000 }, async (form) => {
    const found: Record<string, string[]> = {};
    for (const [name, path] of Object.entries(addresses)) {
      const visit = await site.visit(form);
      await visit.page.goto(path);
      for (const colorScheme of ['light', 'dark'] as const) {
        await visit.page.emulateMedia({ colorScheme });
        if (!withoutScript.has(name)) await visit.settled();
        const faults = await violations(visit);
        if (faults.length > 0) found[`${name}, ${colorScheme}`] = faults;
      }
      await visit.page.context().close();
    }
    expect(found).toEqual({});
  });
});
