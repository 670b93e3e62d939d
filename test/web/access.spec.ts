import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatExact } from '#charts';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { violations } from './violations.ts';
import { sweep, trainingEvents, writeTrainings } from './logs.ts';

const logs = join(import.meta.dirname, '../data/logs');

describeWith(['chromium'], 'accessibility', () => {
  let site: Site;
  let addresses: Record<string, string>;

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 3));
    const [plain, all] = await Promise.all([
      site.upload(site.folder('sweep'), '--name', 'sweep', '--description', 'Learning rates of a small network'),
      site.upload(join(logs, 'torch'), '--name', 'torch'),
    ]).then((uploads) => uploads.map((one) => one.experiment_id));
    const tabs = ['histograms', 'images', 'audio', 'text', 'pr_curves', 'meshes', 'hparams', 'graphs', 'other'];
    addresses = {
      'the list of experiments': '/',
      'an experiment': `/e/${plain}`,
      members: '/members',
      tokens: '/tokens',
      reports: '/reports',
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

  it('keeps the keyboard focus after anything is opened and closed', async () => {
    const visit = await site.visit();
    const { page } = visit;
    const focused = () => page.evaluate<string>(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.tagName`);
    await visit.open(`${addresses['an experiment']!}?tagFilter=loss`);
    const alone = page.locator('dialog.alone');
    await page.getByLabel('Full screen: validation/loss').focus();
    await page.keyboard.press('Enter');
    await alone.waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/card=train/);
    // Another card is now in the focused card's place.
    await alone.getByLabel('Pin train/loss').click();
    for (const [key, tag] of [
      ['ArrowRight', 'validation'],
      ['ArrowLeft', 'train'],
      ['ArrowRight', 'validation'],
    ] as const) {
      await page.keyboard.press(key);
      await page.waitForURL(new RegExp(`card=${tag}`));
    }
    await page.keyboard.press('Control+ArrowLeft'); // Not a key of the page
    await alone.getByLabel('Download validation/loss').click();
    await page.keyboard.press('Escape');
    await alone.getByText('Points as CSV').waitFor({ state: 'hidden' });
    expect(await focused()).toBe('Download validation/loss');
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
    await expect.poll(focused).toBe('Full screen: validation/loss');

    await page.keyboard.press('ControlOrMeta+k');
    await page.locator('.floating input').fill('reset zoom');
    await page.keyboard.press('Enter');
    await page.locator('.floating input').waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Full screen: validation/loss');
    expect(visit.faults).toEqual([]);
  });

  /** Presses Tab until a chart of that tag is focused. */
  async function tabTo({ page }: Visit, tag: string): Promise<void> {
    const isThere = `document.activeElement.role === 'application' && document.activeElement.ariaLabel.startsWith(${JSON.stringify(`${tag}: `)})`;
    for (let i = 0; i < 200 && !(await page.evaluate<boolean>(isThere)); i++) await page.keyboard.press('Tab');
    expect(await page.evaluate<boolean>(isThere)).toBe(true);
  }

  const parametersOf = ({ page }: Visit) => new URL(page.url()).searchParams;

  it('reads charts by keyboard, and announces what is read', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open(`${addresses['an experiment']!}?tagFilter=loss&smoothing=0`);
    await tabTo(visit, 'validation/loss');
    const chart = page.locator(':focus');
    expect(await chart.getAttribute('aria-label')).toMatch(/^validation\/loss: 3 runs, steps 0 to 2,990, y axis 0\.\d+ to [\d.]+$/);
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    const reading = page.locator('.tooltip.on');
    const expected = (i: number, step: number): string =>
      formatExact(Math.fround(trainingEvents(sweep[i]!).find((event) => event.step === step)!.scalars!['validation/loss']!));
    const reads = async (i: number, step: number): Promise<void> => {
      await expect
        .poll(() => reading.innerText())
        .toMatch(new RegExp(`^step ${step.toLocaleString('en-US')} · [^]*exactly ${expected(i, step).replace('.', '\\.')}$`));
      expect(await reading.locator('tr.nearest').innerText()).toContain(sweep[i]!.run);
      expect(await reading.locator('tr:not([hidden]):not([aria-hidden=true])').count()).toBe(1);
    };
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    await reads(0, 20);
    await page.keyboard.press('ArrowLeft');
    await reads(0, 10);
    await page.keyboard.press('End');
    await reads(0, 2990);
    await page.keyboard.press('PageDown');
    await reads(0, 2690);
    await page.keyboard.press('Home');
    await page.keyboard.press('PageUp');
    await reads(0, 300);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    await reads(2, 300); // The fastest learner has the lowest loss.
    // The other chart responds, but announces nothing.
    expect(await page.locator('.crosshair.on').count()).toBe(2);
    expect(await page.locator('.tooltip[aria-live=polite]').count()).toBe(1);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    await page.keyboard.press('Tab');
    expect(await page.locator('.tooltip.on, .crosshair.on, .tooltip[aria-live=polite]').count()).toBe(0);
    // One tab stop per chart.
    expect(await page.evaluate('document.activeElement.role')).not.toBe('application');
    await page.keyboard.press('?');
    expect(await page.locator('dialog.floating').innerText()).toMatch(/\+ − 0\s+zoom in, zoom out, reset/);
    expect(visit.faults).toEqual([]);
  });

  it('zooms charts by keyboard into finer data, updates the address, and resets the zoom', async () => {
    const visit = await site.visit();
    const { page } = visit;
    const note = visit.card('train/loss').locator('.card-note');
    await visit.open(`${addresses['an experiment']!}?tagFilter=loss&smoothing=0`);
    expect(await note.textContent()).toContain('downsampled');
    await tabTo(visit, 'train/loss');
    for (const key of ['Home', 'PageUp', 'PageUp', 'PageUp']) await page.keyboard.press(key);
    const reading = page.locator('.tooltip.on .tooltip-head');
    await expect.poll(() => reading.textContent()).toMatch(/^step (89\d|90\d) /);
    const from = () => Number(parametersOf(visit).get('from') ?? 0);
    const to = () => Number(parametersOf(visit).get('to') ?? 2999);
    for (const width of [1500, 750, 375, 188]) {
      await page.keyboard.press('+');
      await expect.poll(() => Math.abs(to() - from() - width)).toBeLessThan(5);
    }
    expect([from(), to()].map((step) => Math.sign(step - 900))).toEqual([-1, 1]);
    await visit.settled();
    await expect.poll(() => note.textContent()).toMatch(/ points$/);
    // The reading remains, and now moves from point to point.
    const step = async () => Number(/^step (\S+) /.exec((await reading.textContent())!)![1]!.replace(',', ''));
    const at = await step();
    await page.keyboard.press('ArrowRight');
    await expect.poll(step).toBe(at + 1);
    const before = from();
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => Math.abs(from() - before - 47)).toBeLessThan(5);
    await page.keyboard.press('-');
    await expect.poll(() => Math.abs(to() - from() - 375)).toBeLessThan(5);
    await visit.settled();
    await page.keyboard.press('0');
    await expect.poll(() => parametersOf(visit).has('from')).toBe(false);
    await page.goBack();
    await expect.poll(() => parametersOf(visit).has('from')).toBe(true);
    expect(visit.faults).toEqual([]);
  });

  it('leaves arrow keys in full screen to the focused chart, and Esc while it is read', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open(addresses['one chart']!);
    await tabTo(visit, 'train/loss');
    await page.keyboard.press('ArrowRight');
    await page.locator('dialog .tooltip.on').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog .tooltip.on').waitFor({ state: 'detached' });
    expect(parametersOf(visit).get('card')).toBe('train/loss');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => parametersOf(visit).get('card')).toBe('train/perplexity');
    await tabTo(visit, 'train/perplexity');
    await page.keyboard.press('Escape');
    await expect.poll(() => parametersOf(visit).has('card')).toBe(false);
    expect(visit.faults).toEqual([]);
  });

  const withoutScript = new Set(['an address of nothing', 'sessions', 'workspaces', 'a device signs in']);
  const forms = [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ];

  // Checks both themes of a page that is loaded once: themes are in the style sheet, and scripts
  // that depend on the theme follow its changes. The themes differ only in colors.
  it.each(forms)('every page, light and dark (%o)', { timeout: 300_000 }, async (form) => {
    const found: Record<string, string[]> = {};
    for (const [name, path] of Object.entries(addresses)) {
      const visit = await site.visit(form);
      await visit.page.goto(path);
      for (const colorScheme of ['light', 'dark'] as const) {
        await visit.page.emulateMedia({ colorScheme });
        if (!withoutScript.has(name)) await visit.settled();
        const faults = await violations(visit, colorScheme === 'light' ? 'all' : 'colors');
        if (faults.length > 0) found[`${name}, ${colorScheme}`] = faults;
      }
      await visit.page.context().close();
    }
    expect(found).toEqual({});
  });
});
