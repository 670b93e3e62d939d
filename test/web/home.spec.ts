import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { writeRun } from './logs.ts';

describeWith(['chromium'], 'the list of experiments', () => {
  let site: Site;

  beforeAll(async () => {
    site = await Site.start();
    await writeRun(site.folder('log'), 'run', [{ step: 1, scalars: { loss: 1 } }]);
    for (const [name, labels] of [
      ['beta', ['paper']],
      ['alpha', ['paper', 'draft']],
      ['gamma "quoted" \\', []],
    ] as const) {
      const { experiment_id: id } = await site.upload(site.folder('log'), '--name', name, '--new');
      await site.service.fetch(`/experiments/${id}`, {
        method: 'PATCH',
        body: JSON.stringify({ labels }),
        headers: { 'Content-Type': 'application/json' },
      });
    }
  });
  afterAll(() => site?.close());

  const names = (visit: Visit) => visit.page.locator('td.title a').allInnerTexts();
  const newestFirst = ['gamma "quoted" \\', 'alpha', 'beta'];

  it('is there before any script, the newest first', async () => {
    const visit = await site.visit({ held: true });
    await visit.page.goto('/', { waitUntil: 'commit' });
    await visit.page.locator('td.title a').nth(2).waitFor();
    expect(await names(visit)).toEqual(newestFirst);
  });

  it('is searched by name, whatever is typed', async () => {
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
    expect(visit.page.url()).not.toContain('?');
    expect(visit.faults).toEqual([]);
  });

  it('is in the order that one wants, and of the label that one wants', async () => {
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
    await visit.page.getByTitle('Show those without this label, too').click();
    await expect.poll(() => names(visit)).toHaveLength(3);
    expect(visit.faults).toEqual([]);
  });
});
