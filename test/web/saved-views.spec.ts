import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { sweep, writeTrainings } from './logs.ts';
import { violations } from './violations.ts';

/** Set this variable to a folder to save pictures of the menu. */
const shots = process.env.SAVED_VIEWS_SHOTS;

describeWith(['chromium'], 'saved views', () => {
  let site: Site;
  let id: string;
  const hostile = '"><img src=x onerror=alert(1)>\u202e';
  const [first, second] = sweep.map(({ run }) => run) as [string, string];

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 3));
    id = (await site.upload(site.folder('sweep'), '--name', 'sweep')).experiment_id;
  });
  afterAll(() => site?.close());

  const openMenu = async (visit: Visit): Promise<void> => {
    await visit.page.getByRole('button', { name: 'Saved views' }).click();
    await visit.settled();
  };
  const save = async (visit: Visit, name: string, shared: boolean): Promise<void> => {
    const form = visit.page.getByRole('form', { name: 'Save the current view' });
    await form.getByLabel('Save the current view as').fill(name);
    await form.getByLabel('Share with the workspace').setChecked(shared);
    await form.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => form.getByLabel('Save the current view as').inputValue()).toBe('');
  };
  const names = (visit: Visit) => visit.page.locator('.saved-view .open-view .cut').allInnerTexts();

  it('are saved, opened, renamed, made the default and deleted in the header of an experiment', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open(`/e/${id}?yScale=log&tagFilter=loss`);
    await openMenu(visit);
    await page.getByText('No saved views yet.').waitFor();
    await save(visit, hostile, false);
    await save(visit, 'Losses', true);
    await expect.poll(() => names(visit)).toHaveLength(2);
    expect(await names(visit)).toContain('Losses');
    expect((await names(visit)).join('')).not.toContain('\u202e');
    expect(await page.locator('.open-view[aria-current=true]').count()).toBe(2); // both equal the current view
    await page.keyboard.press('Escape');
    await page.getByLabel('Y-axis scale').selectOption('linear');
    await openMenu(visit);
    expect(await page.locator('.open-view[aria-current=true]').count()).toBe(0);
    await page.getByRole('button', { name: 'Losses', exact: true }).click();
    await page.waitForURL(/yScale=log/);

    await page.getByRole('button', { name: 'Edit Losses' }).click();
    const edit = page.getByRole('form', { name: 'Edit Losses' });
    await edit.getByLabel('Default of this experiment').click();
    await page.locator('.saved-view .label', { hasText: 'default' }).waitFor();
    if (shots) await page.screenshot({ path: `${shots}/menu-light.png` });
    expect(await violations(visit)).toEqual([]);
    await edit.getByLabel('View name').fill('Training losses');
    await edit.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Edit Training losses' }).waitFor();

    await visit.open(`/e/${id}`);
    expect(page.url()).toContain('yScale=log');
    expect(await page.getByRole('button', { name: 'Reset view' }).count()).toBe(0);
    await openMenu(visit);
    await page.getByRole('button', { name: /^Edit "><img/ }).click();
    await page.getByRole('button', { name: /^Delete "><img/ }).click();
    await page.getByRole('button', { name: /^Confirm deletion "><img/ }).click();
    await expect.poll(() => names(visit)).toEqual(['Training losses']);
    await visit.open('/');
    expect(await page.getByRole('link', { name: 'sweep' }).getAttribute('href')).toContain('yScale=log');
    expect(visit.faults).toEqual([]);
  });

  it('are accessible in the dark and on a phone', async () => {
    for (const options of [{ dark: true }, { width: 390, height: 844, dark: true }, { width: 390, height: 844 }, { width: 2560 }]) {
      const visit = await site.visit(options);
      await visit.open(`/e/${id}?tagFilter=loss`);
      await openMenu(visit);
      await visit.page.getByRole('button', { name: 'Edit Training losses' }).click();
      if (shots) await visit.page.screenshot({ path: `${shots}/menu-${options.width ?? 1280}-${options.dark ? 'dark' : 'light'}.png` });
      expect(await violations(visit)).toEqual([]);
      expect(await visit.page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(visit.faults).toEqual([]);
    }
  });

  it('are not for visitors; a link opens with the view of its creator, without what it hides', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?yScale=log&runFilter=${encodeURIComponent(second)}&hide=${encodeURIComponent(second)}`);
    await visit.page.getByRole('button', { name: 'Share', exact: true }).click();
    const form = visit.page.getByRole('form', { name: 'New link' });
    expect(await form.getByLabel('Open with your current view').isChecked()).toBe(true);
    if (shots) await visit.page.screenshot({ path: `${shots}/share.png` });
    await visit.page.getByRole('button', { name: 'Create link' }).click();
    const address = await visit.page.getByRole('region', { name: 'The new link' }).locator('code').innerText();
    const guest = await site.visit({ stranger: true });
    await guest.open(address);
    expect(guest.page.url()).toContain('yScale=log');
    expect(await guest.page.getByRole('button', { name: 'Saved views' }).count()).toBe(0);
    expect(guest.faults).toEqual([]);

    const view = new URLSearchParams([
      ['yScale', 'log'],
      ['runFilter', second],
      ['hide', second],
    ]).toString();
    const { url } = await site.service.json<{ url: string }>(`/experiments/${id}/share-links`, { runs: [first], view });
    await guest.open(url);
    expect(new URL(guest.page.url()).search).toBe('?yScale=log');
    expect(guest.faults).toEqual([]);
  });
});
