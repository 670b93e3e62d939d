import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { writeRun } from './logs.ts';
import { violations } from './violations.ts';

const hostile = '<img src=x onerror=alert(1)>\u202e/val loss';

describeWith(['chromium'], 'the rows of the list of experiments', () => {
  let site: Site;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    site = await Site.start();
    const start = Date.now() / 1000 - 3_600;
    const points = (tag: string, values: readonly number[], at: number) =>
      values.map((value, step) => ({ step: step * 10, wallTime: at + step, scalars: { [tag]: value, epoch: step } }));
    await writeRun(site.folder('older'), 'old', points('val/loss', [9, 9, 9], start));
    await writeRun(site.folder('older'), 'new', points('val/loss', [3, 1, Number.NaN, 2], start + 600));
    await writeRun(site.folder('hostile'), '<b>run</b>', points(hostile, [1, 2], start));
    await writeRun(site.folder('images'), 'empty', [{ step: 0, wallTime: start, scalars: {} }]);
    for (const name of ['older', 'hostile', 'images'] as const)
      ids[name] = (await site.upload(site.folder(name), '--name', name, '--new')).experiment_id;
  });
  afterAll(() => site?.close());

  const row = ({ page }: Visit, name: string) => page.getByRole('row', { name: new RegExp(`\\b${name}\\b`) });
  const names = (visit: Visit) => visit.page.locator('td.title a').allInnerTexts();
  const listed = async () => (await site.service.fetch('/experiments')).json() as Promise<{ experiments: { name: string }[] }>;

  it('show the metric of the newest run, before any script runs', async () => {
    const visit = await site.visit({ held: true, width: 1400 });
    await visit.page.goto('/', { waitUntil: 'commit' });
    await row(visit, 'older').locator('.metric').waitFor();
    expect(await row(visit, 'older').locator('.metric-text').innerText()).toBe('2\nval/loss');
    expect(await row(visit, 'older').locator('.metric').getAttribute('title')).toBe('val/loss: last 2, min 1, max 3');
    // 3, 1, a gap, 2
    expect(await row(visit, 'older').locator('.sparkline path').getAttribute('d')).toMatch(/^M2 2L[\d.]+ 18M86 10h0\.01$/);
    expect(await row(visit, 'images').locator('.metric').count()).toBe(0);
  });

  it('escape names of runs and tags', async () => {
    const visit = await site.visit({ width: 1400 });
    await visit.open('/');
    expect(await row(visit, 'hostile').locator('.metric-text').innerText()).toContain('<img src=x onerror=alert(1)>');
    for (const colorScheme of ['light', 'dark'] as const) {
      await visit.page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    await visit.page.setViewportSize({ width: 390, height: 844 });
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('are starred, and listed by their stars after a reload', async () => {
    const visit = await site.visit();
    await visit.open('/');
    await visit.page.getByRole('button', { name: 'Star hostile' }).click();
    await visit.page.getByLabel('Starred only').check();
    await expect.poll(() => names(visit)).toEqual(['hostile']);
    await visit.page.waitForURL(/starred=true/);
    await visit.page.reload();
    await expect.poll(() => names(visit)).toEqual(['hostile']);
    await visit.page.getByRole('button', { name: 'Star hostile' }).click();
    await visit.page.getByText('No experiment has a star.').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('have a menu: rename, label, archive, restore, share', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open('/');
    const menu = async (name: string, item: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('button', { name: item, exact: true }).click();
    };
    await page.getByRole('button', { name: 'Actions for images' }).click();
    expect(await violations(visit)).toEqual([]);
    await page.keyboard.press('Escape');
    await menu('images', 'Rename…');
    await page.getByLabel('Name', { exact: true }).fill('pictures');
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await row(visit, 'pictures').waitFor();
    await menu('pictures', 'Labels…');
    await page.getByLabel('New label').fill('draft');
    await page.getByRole('button', { name: 'Save' }).click();
    await row(visit, 'pictures').getByRole('button', { name: 'draft', exact: true }).waitFor();
    await menu('pictures', 'Archive');
    await page.getByText('Archived “pictures”.').waitFor();
    await expect.poll(() => names(visit)).not.toContain('pictures');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => names(visit)).toContain('pictures');
    await menu('pictures', 'Share…');
    await page.getByRole('dialog').getByText('General access').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('are selected, labeled and compared together', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open('/');
    await page.getByLabel('Select older').check();
    await page.getByLabel('Select hostile').check();
    await page.getByText('2 selected').waitFor();
    const bar = page.getByRole('region', { name: 'Selected experiments' });
    await bar.getByRole('button', { name: 'Labels…' }).click();
    await page.getByLabel('New label').fill('both');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'both', exact: true }).count()).toBe(2);
    expect(await violations(visit)).toEqual([]);
    await bar.getByRole('button', { name: 'Compare' }).click();
    await page.waitForURL(new RegExp(`/e/${ids.hostile}\\?compare=${ids.older}`));
    expect(visit.faults).toEqual([]);
  });

  it('are deleted after a delay, unless it is undone or the page is closed first', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await page.clock.install();
    await visit.open('/');
    const remove = async (name: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await expect.poll(() => names(visit)).not.toContain(name);
    };
    await remove('older');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => names(visit)).toContain('older');
    await page.clock.fastForward(20_000);
    expect((await listed()).experiments.map(({ name }) => name)).toContain('older');
    await remove('older');
    expect((await listed()).experiments.map(({ name }) => name)).toContain('older');
    await page.clock.fastForward(20_000);
    await expect.poll(async () => (await listed()).experiments.map(({ name }) => name)).not.toContain('older');
    await remove('hostile');
    await page.goto('/tokens');
    await expect.poll(async () => (await listed()).experiments.map(({ name }) => name)).not.toContain('hostile');
    expect(visit.faults).toEqual([]);
  });
});
