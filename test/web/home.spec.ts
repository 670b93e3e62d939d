import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { writeRun } from './logs.ts';
import { violations } from './violations.ts';

describeWith(['chromium'], 'the list of experiments', () => {
  let site: Site;

  beforeAll(async () => {
    site = await Site.start();
    await writeRun(site.folder('log'), 'run', [{ step: 1, scalars: { loss: 1 } }]);
    const ids: string[] = [];
    for (const [name, labels] of [
      ['beta', ['paper']],
      ['alpha', ['paper', 'draft']],
      ['gamma "quoted" \\', []],
    ] as const) {
      const { experiment_id: id } = await site.upload(site.folder('log'), '--name', name, '--new');
      ids.push(id);
      await site.service.fetch(`/experiments/${id}`, {
        method: 'PATCH',
        body: JSON.stringify({ labels }),
        headers: { 'Content-Type': 'application/json' },
      });
    }
    await writeRun(site.folder('later'), 'another run', [{ step: 1, scalars: { loss: 1 } }]);
    await site.upload(site.folder('later'), '--experiment', ids[0]!);
  });
  afterAll(() => site?.close());

  const names = (visit: Visit) => visit.page.locator('td.title a').allInnerTexts();
  const newestFirst = ['gamma "quoted" \\', 'alpha', 'beta'];
  const lastDataFirst = ['beta', 'gamma "quoted" \\', 'alpha'];

  it('is readable before any script runs, newest first', async () => {
    const visit = await site.visit({ held: true });
    await visit.page.goto('/', { waitUntil: 'commit' });
    await visit.page.locator('td.title a').nth(2).waitFor();
    expect(await names(visit)).toEqual(newestFirst);
  });

  it('opens an experiment as it was left, and as it was made when reset', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open('/');
    await page.getByRole('link', { name: 'alpha' }).click();
    await page.getByLabel('Y-axis scale').selectOption('log');
    await page.waitForURL(/yScale=log/);
    const kept = `JSON.stringify(Object.entries(localStorage)).includes('yScale=log')`;
    await expect.poll(() => page.evaluate<boolean>(kept)).toBe(true);
    await page.getByRole('link', { name: 'Plotline' }).click();
    await page.getByRole('link', { name: 'alpha' }).click();
    await page.waitForURL(/yScale=log/);
    await page.getByRole('button', { name: 'Reset view' }).click();
    await expect.poll(() => page.evaluate<boolean>(kept)).toBe(false);
    await visit.open('/');
    expect(await page.getByRole('link', { name: 'alpha' }).getAttribute('href')).not.toContain('?');
    expect(visit.faults).toEqual([]);
  });

  it('is searched by name, for any text', async () => {
    const visit = await site.visit();
    await visit.open('/');
    const search = visit.page.getByLabel('Search experiments by name');
    await search.pressSequentially('a "quoted" \\');
    await expect.poll(() => names(visit)).toEqual(newestFirst.slice(0, 1));
    expect(await search.inputValue()).toBe('a "quoted" \\');
    await search.fill('none of them');
    await visit.page.getByText('No experiment has “none of them” in its name.').waitFor();
    await visit.page.reload();
    await visit.page.getByText('No experiment has “none of them” in its name.').waitFor();
    expect(await search.inputValue()).toBe('none of them');
    await search.fill('');
    await expect.poll(() => names(visit)).toEqual(newestFirst);
    await visit.page.waitForURL((url) => url.search === '');
    expect(visit.faults).toEqual([]);
  });

  it('sorts by the chosen column, and filters by the chosen label', async () => {
    const visit = await site.visit();
    await visit.open('/');
    await visit.page.getByRole('button', { name: 'Name' }).click();
    await expect.poll(() => names(visit)).toEqual(newestFirst.toReversed().toSorted());
    await visit.page.getByRole('button', { name: 'Name' }).click();
    await expect.poll(() => names(visit)).toEqual(newestFirst.toSorted().toReversed());
    await visit.page.getByRole('button', { name: 'paper' }).first().click();
    await expect.poll(() => names(visit)).toEqual(['beta', 'alpha']);
    await visit.page.getByRole('link', { name: 'alpha' }).click();
    await visit.page.locator('.experiment-head').waitFor();
    await visit.page.goBack();
    await expect.poll(() => names(visit)).toEqual(['beta', 'alpha']);
    await visit.page.getByTitle('Show experiments without this label too').click();
    await expect.poll(() => names(visit)).toHaveLength(3);
    expect(visit.faults).toEqual([]);
  });

  it('has the chosen columns, also after a reload and on the way back', async () => {
    const visit = await site.visit();
    const heads = async () => (await visit.page.locator('th').allInnerTexts()).map((text) => text.replace(/ ?[↑↓]/, '').trim());
    await visit.open('/');
    expect(await heads()).toEqual(['Name', 'Owner', 'Created', 'Last data', 'Runs', 'Metric', 'State']);
    await visit.page.getByRole('button', { name: 'Columns' }).click();
    expect(await violations(visit)).toEqual([]);
    for (const name of ['Owner', 'Runs', 'State']) await visit.page.getByLabel(name, { exact: true }).uncheck();
    const chosen = ['Name', 'Created', 'Last data', 'Metric'];
    expect(await heads()).toEqual(chosen);
    await visit.page.reload();
    await visit.settled();
    expect(await heads()).toEqual(chosen);
    await visit.page.getByRole('link', { name: 'alpha' }).click();
    await visit.page.locator('.experiment-head').waitFor();
    await visit.page.goBack();
    await expect.poll(heads).toEqual(chosen);
    await visit.page.getByRole('button', { name: 'Last data' }).click();
    await expect.poll(() => names(visit)).toEqual(lastDataFirst);
    await visit.page.getByRole('button', { name: 'Last data' }).click();
    await expect.poll(() => names(visit)).toEqual(lastDataFirst.toReversed());
    expect(await heads()).toEqual(chosen);
    expect(visit.faults).toEqual([]);
  });

  it('has fewer columns on a phone, until the user chooses others', async () => {
    const visit = await site.visit({ width: 390, height: 844 });
    const heads = async () => (await visit.page.locator('th:visible').allInnerTexts()).map((text) => text.replace(/ ?[↑↓]/, '').trim());
    await visit.open('/');
    expect(await heads()).toEqual(['Name', 'Last data', 'State']);
    await visit.page.getByRole('button', { name: 'Columns' }).click();
    await visit.page.getByLabel('Last data', { exact: true }).uncheck();
    expect(await heads()).toEqual(['Name', 'State']);
    await visit.page.getByLabel('Runs', { exact: true }).check();
    expect(await heads()).toEqual(['Name', 'Runs', 'State']);
    expect(visit.faults).toEqual([]);
  });

  it('has the columns of its address before any script runs', async () => {
    const visit = await site.visit({ held: true });
    await visit.page.goto('/?column=runs&column=state', { waitUntil: 'commit' });
    await visit.page.locator('td.title a').nth(2).waitFor();
    expect(await visit.page.locator('th').allInnerTexts()).toEqual([expect.stringContaining('Name'), 'Runs', 'State']);
  });

  it('shows runs as live for a minute, by the clock of the server', async () => {
    const { id } = await site.service.json<{ id: string }>('/experiments', { name: 'growing' });
    const visit = await site.visit();
    await visit.page.clock.install({ time: Date.now() + 3 * 3_600_000 });
    await visit.open('/');
    const state = visit.page.getByRole('row', { name: 'growing' }).locator('.live');
    expect(await state.count()).toBe(0);
    await site.upload(site.folder('log'), '--experiment', id);
    await visit.page.clock.fastForward(15_000); // The page polls the list.
    await expect.poll(() => state.allInnerTexts()).toEqual(['live']);
    expect(await violations(visit)).toEqual([]);
    await visit.hide(true);
    const asked = visit.requests.length;
    await visit.page.clock.fastForward(61_000);
    await expect.poll(() => visit.page.locator('.live').count()).toBe(0);
    expect(visit.requests.slice(asked)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });
});
