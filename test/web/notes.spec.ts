import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { sweep, writeTrainings } from './logs.ts';
import { violations } from './violations.ts';

describeWith(['chromium'], 'labels, notes and the archive', () => {
  let site: Site;
  let id: string;
  let many: string;

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 3));
    id = (await site.upload(site.folder('sweep'), '--name', 'sweep')).experiment_id;
    await site.upload(site.folder('sweep'), '--name', 'other', '--new');
    many = (await site.upload(site.folder('sweep'), '--name', 'many', '--new')).experiment_id;
  });
  afterAll(() => site?.close());

  const names = (visit: Visit) => visit.page.locator('td.title a').allInnerTexts();
  const runs = (visit: Visit) => visit.page.locator('.run .run-name').evaluateAll((list) => list.map((one) => one.getAttribute('title')));
  const dialog = (visit: Visit) => visit.page.getByRole('dialog');

  it('of an experiment are edited, shown, found in the list, and archived', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}`);
    await visit.page.getByRole('button', { name: 'Notes' }).click();
    await dialog(visit).getByRole('button', { name: 'Edit' }).click();
    await dialog(visit).getByLabel('Name').fill('sweep of rates');
    await dialog(visit).getByLabel('Description').fill('Six of them');
    const label = dialog(visit).getByLabel('New label');
    await label.fill('paper');
    await label.press('Enter');
    await label.fill('<i>odd</i>');
    await dialog(visit).getByLabel('Notes').fill('# Seeds\n\n**3** diverges <img src=x onerror=alert(1)>');
    expect(await violations(visit)).toEqual([]);
    await dialog(visit).getByRole('button', { name: 'Save' }).click();
    await dialog(visit).locator('.markdown strong').getByText('3').waitFor();
    expect(await dialog(visit).locator('.markdown').innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await violations(visit)).toEqual([]);
    await visit.page.keyboard.press('Escape');
    expect(await visit.page.locator('.experiment-head h1').innerText()).toBe('sweep of rates');
    expect(await visit.page.locator('.experiment-head .label').allInnerTexts()).toEqual(['paper', '<i>odd</i>']);

    const list = await site.visit();
    await list.open('/');
    await list.page.getByRole('button', { name: 'paper' }).click();
    await expect.poll(() => names(list)).toEqual(['sweep of rates']);
    await visit.page.getByRole('button', { name: 'Notes' }).click();
    await dialog(visit).getByRole('button', { name: 'Archive', exact: true }).click();
    await dialog(visit).getByRole('button', { name: 'Unarchive' }).waitFor();
    await list.open('/');
    await expect.poll(() => names(list)).toEqual(['many', 'other']);
    await list.page.getByLabel('Include archived').check();
    await expect.poll(() => names(list)).toEqual(['many', 'other', 'sweep of rates']);
    await expect.poll(() => list.page.url()).toMatch(/\?archived=true$/);
    await list.page.reload();
    await expect.poll(() => names(list)).toEqual(['many', 'other', 'sweep of rates']);
    await dialog(visit).getByRole('button', { name: 'Unarchive' }).click();
    await dialog(visit).getByRole('button', { name: 'Archive', exact: true }).waitFor();
    expect([...visit.faults, ...list.faults]).toEqual([]);
  });

  it('of a run are edited; labels filter runs, and archived runs are hidden by default', async () => {
    const [first, second, third] = sweep.map(({ run }) => run) as [string, string, string];
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=train/loss`);
    const about = async (run: string): Promise<void> => {
      await visit.page
        .locator('.run', { hasText: run.split('/')[1]! })
        .first()
        .hover();
      await visit.page.getByRole('button', { name: `About ${run}` }).click();
    };
    await about(third);
    await dialog(visit).getByRole('button', { name: 'Edit' }).click();
    await dialog(visit).getByLabel('New label').fill('best');
    await dialog(visit).getByLabel('Notes').fill('used in the *paper*');
    expect(await violations(visit)).toEqual([]);
    await dialog(visit).getByRole('button', { name: 'Save' }).click();
    await dialog(visit).locator('.markdown em').waitFor();
    await visit.page.keyboard.press('Escape');
    await visit.page.locator('.run .label').getByText('best').waitFor();

    await visit.page.getByLabel('Filter, sort, color and group runs').click();
    await visit.page.getByLabel(/^Filter by/).selectOption('label');
    await visit.page.getByLabel('Filter by label').fill('= best');
    await expect.poll(() => runs(visit)).toEqual([third]);
    await expect.poll(() => new URL(visit.page.url()).searchParams.get('where')).toBe('label = best');
    await visit.page.getByLabel('Remove the filter on label').click();
    await expect.poll(() => runs(visit)).toHaveLength(3);

    await about(first);
    await dialog(visit).getByRole('button', { name: 'Archive', exact: true }).click();
    await expect.poll(() => runs(visit)).toEqual([second, third]);
    await visit.page.keyboard.press('Escape');
    await visit.settled();
    const fresh = await site.visit();
    await fresh.open(`/e/${id}?tagFilter=train/loss`);
    expect(await runs(fresh)).toEqual([second, third]);
    await fresh.page.getByRole('button', { name: 'Show 1 archived' }).click();
    await expect.poll(() => runs(fresh)).toEqual([first, second, third]);
    await expect.poll(() => new URL(fresh.page.url()).searchParams.get('archived')).toBe('true');
    await fresh.page.reload();
    await fresh.settled();
    expect(await runs(fresh)).toEqual([first, second, third]);
    expect([...visit.faults, ...fresh.faults]).toEqual([]);
  });

  it('are not discarded without a question, and only changes are saved', async () => {
    const [mine, theirs] = [await site.visit(), await site.visit()];
    const edit = async (visit: Visit): Promise<void> => {
      await visit.page.getByRole('button', { name: 'Notes' }).click();
      await dialog(visit).getByRole('button', { name: 'Edit' }).click();
    };
    for (const visit of [mine, theirs]) {
      await visit.open(`/e/${many}?tagFilter=train/loss`);
      await edit(visit);
    }
    const description = dialog(mine).getByLabel('Description');
    const question = dialog(mine).getByText('You have unsaved changes.');
    await description.fill('mine');
    const leave = [
      () => mine.page.keyboard.press('Escape'),
      () => mine.page.mouse.click(5, 5),
      () => dialog(mine).getByLabel('Close').click(),
      () => dialog(mine).getByRole('button', { name: 'Cancel' }).click(),
    ];
    for (const way of leave) {
      await way();
      await question.waitFor();
      // A second Esc: browsers would close the dialog then.
      await mine.page.keyboard.press('Escape');
      await dialog(mine).getByRole('button', { name: 'Keep editing' }).click();
      expect(await description.inputValue()).toBe('mine');
    }

    await dialog(theirs).getByLabel('Notes').fill('theirs');
    await dialog(theirs).getByRole('button', { name: 'Save' }).click();
    await dialog(theirs).locator('.markdown').getByText('theirs').waitFor();
    await dialog(mine).getByRole('button', { name: 'Save' }).click();
    await dialog(mine).getByRole('button', { name: 'Edit' }).waitFor();
    await mine.page.reload();
    await mine.settled();
    await edit(mine);
    expect([await description.inputValue(), await dialog(mine).getByLabel('Notes').inputValue()]).toEqual(['mine', 'theirs']);

    await dialog(mine).getByLabel('New label').fill('half a lab');
    await mine.page.keyboard.press('Escape');
    expect(await violations(mine)).toEqual([]);
    await dialog(mine).getByRole('button', { name: 'Discard' }).click();
    await dialog(mine).waitFor({ state: 'detached' });
    await edit(mine);
    expect(
      await dialog(mine)
        .getByRole('button', { name: /^Remove the label/ })
        .count(),
    ).toBe(0);
    await description.fill('other');
    await dialog(mine).getByRole('button', { name: 'Cancel' }).click();
    await dialog(mine).getByRole('button', { name: 'Discard' }).click();
    await dialog(mine).getByRole('button', { name: 'Edit' }).click();
    expect(await description.inputValue()).toBe('mine');
    await mine.page.keyboard.press('Escape'); // Nothing was typed.
    await dialog(mine).waitFor({ state: 'detached' });
    expect([...mine.faults, ...theirs.faults]).toEqual([]);
  });

  it('many runs are archived at once, and restored', async () => {
    const [first, second, third] = sweep.map(({ run }) => run) as [string, string, string];
    const visit = await site.visit();
    await visit.open(`/e/${many}?tagFilter=train/loss&runFilter=0\\.00`);
    const settings = visit.page.getByLabel('Filter, sort, color and group runs');
    await visit.page.locator('.run label').nth(1).click();
    await settings.click();
    await visit.page.getByRole('button', { name: 'Archive 2 shown runs' }).click();
    await visit.page.getByText('2 runs archived').waitFor();
    await expect.poll(() => runs(visit)).toEqual([second]);
    expect(await violations(visit)).toEqual([]);
    await visit.page.keyboard.press('Escape');
    await visit.page.getByRole('button', { name: 'Undo' }).click();
    await visit.page.getByText('2 runs unarchived').waitFor();
    await expect.poll(() => runs(visit)).toEqual([first, second, third]);
    await visit.page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => runs(visit)).toEqual([second]);
    await visit.page.getByRole('button', { name: 'Show 2 archived' }).click();
    await settings.click();
    await visit.page.getByRole('button', { name: 'Unarchive 2 shown runs' }).click();
    await visit.page.getByRole('button', { name: 'Leave out 2 archived' }).waitFor({ state: 'detached' });
    const fresh = await site.visit();
    await fresh.open(`/e/${many}?tagFilter=train/loss`);
    expect(await runs(fresh)).toEqual([first, second, third]);
    expect([...visit.faults, ...fresh.faults]).toEqual([]);
  });
});
