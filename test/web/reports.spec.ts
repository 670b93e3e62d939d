import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { sweep, writeRun, writeTrainings } from './logs.ts';
import { violations } from './violations.ts';

/** Set this variable to a folder to save pictures of a report and its editor. */
const shots = process.env.REPORTS_SHOTS;
const logs = join(import.meta.dirname, '../data/logs');

describeWith(['chromium'], 'reports', () => {
  let site: Site;
  let id: string;
  let media: string;
  const hostile = '"><img src=x onerror=alert(1)>\u202e';
  const gone = '0000000000000000000000';

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 3));
    id = (await site.upload(site.folder('sweep'), '--name', 'sweep')).experiment_id;
    media = (await site.upload(join(logs, 'torch'), '--name', hostile)).experiment_id;
  });
  afterAll(() => site?.close());

  const block = (address: string, caption = ''): string => `\`\`\`plotline\n${address}\n${caption}\n\`\`\``;
  const make = async (title: string, body: string): Promise<string> =>
    (await site.service.json<{ id: string }>('/reports', { title, body })).id;
  const blocks = (visit: Visit) => visit.page.locator('.report-block');
  const example = (): string =>
    [
      '# Learning rates',
      'The *largest* rate **diverges**; see `lr`.',
      block(`/e/${id}?card=train%2Floss&smoothing=0`, 'Loss of training'),
      '## All curves',
      block(`/e/${id}?tagFilter=loss`),
      block(`/e/${id}?tab=runs`),
      '## Images',
      block(`/e/${media}?tab=images`),
      block(`/e/${gone}`),
      block('https://elsewhere.example/e/x'),
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '```python\nprint("not a view")\n```',
    ].join('\n\n');

  it('are created, written with a preview, and read with live charts', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open('/');
    await page.getByRole('button', { name: /^Workspace/ }).click();
    await page.getByRole('link', { name: 'Reports' }).click();
    await page.getByText('No reports yet.').waitFor();
    await page.getByRole('button', { name: 'New report' }).click();
    await page.getByLabel('Title').fill('Which rate?');
    await page.getByLabel('Text').fill('# Result\n\nIt *falls*.');
    await page.getByLabel('Add view').fill('https://elsewhere.example/');
    await page.keyboard.press('Enter');
    await page.getByText('This address belongs to another site.').waitFor();
    await page.getByLabel('Add view').fill(`${new URL(page.url()).origin}/e/${id}?card=train%2Floss`);
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('Text').inputValue()).toBe(
      `# Result\n\nIt *falls*.\n\n${block(`/e/${id}?card=train%2Floss`).replace('\n\n', '\n')}\n`,
    );
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Result' }).waitFor();
    await preview.locator('.report-block canvas').first().waitFor();
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Which rate?' }).waitFor();
    await blocks(visit).locator('canvas').first().waitFor();
    expect(await blocks(visit).locator('.report-foot').innerText()).toContain('Live');
    await page.getByRole('link', { name: 'sweep', exact: true }).click();
    await page.waitForURL(/\/e\/.*card=train/);
    expect(visit.faults).toEqual([]);
  });

  it('show one chart, charts, tables and images, and say what they cannot show', async () => {
    const report = await make('Rates', example());
    const visit = await site.visit();
    await visit.open(`/reports/${report}`);
    await expect.poll(() => blocks(visit).count()).toBe(6);
    await blocks(visit).nth(0).locator('.card.large canvas').first().waitFor();
    expect(await blocks(visit).nth(0).locator('figcaption').innerText()).toBe('Loss of training');
    await expect.poll(() => blocks(visit).nth(1).locator('.card').count()).toBe(2);
    await expect.poll(() => blocks(visit).nth(2).locator('tbody tr').count()).toBe(3);
    await blocks(visit).nth(3).scrollIntoViewIfNeeded();
    await blocks(visit).nth(3).locator('img').first().waitFor();
    await blocks(visit).nth(4).getByText("This experiment was deleted, or you don't have access to it.").waitFor();
    expect(await blocks(visit).nth(5).innerText()).toContain('another site');
    expect(await visit.page.locator('pre').allInnerTexts()).toEqual(['print("not a view")']);
    expect(await visit.page.locator('main').count()).toBe(1);
    // A chart opens in full screen over the report, and closes again.
    await blocks(visit).nth(1).getByLabel('Full screen: train/loss').click();
    await visit.page.locator('dialog.alone canvas').first().waitFor();
    await visit.page.keyboard.press('Escape');
    await visit.page.locator('dialog.alone').waitFor({ state: 'detached' });
    expect(new URL(visit.page.url()).pathname).toBe(`/reports/${report}`);
    expect(visit.faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });

  it('contain views that are copied from the menu of a chart, and from the menu of views', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await visit.open(`/e/${id}?smoothing=0.5`);
    await visit.card('train/loss').hover();
    await page.getByLabel('Download train/loss').click();
    await page.getByRole('button', { name: 'Copy for a report' }).click();
    await page.getByText('Paste it into a report.').waitFor();
    expect(await copied()).toBe(`\`\`\`plotline\n/e/${id}?smoothing=0.5&card=train%2Floss\n\`\`\``);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('button', { name: 'Copy for a report' }).click();
    await expect.poll(copied).toBe(`\`\`\`plotline\n/e/${id}?smoothing=0.5\n\`\`\``);
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('show new data of running experiments while they are open', async () => {
    const logdir = site.folder('growing');
    await writeRun(logdir, 'run', [{ step: 1, scalars: { loss: 1 } }]);
    const { experiment_id: growing } = await site.upload(logdir, '--name', 'growing');
    const report = await make('Growing', `${block(`/e/${growing}?card=loss`)}\n\n${block(`/e/${growing}?tagFilter=loss`)}`);
    const visit = await site.visit();
    await visit.open(`/reports/${report}`);
    await expect.poll(() => visit.card('loss').locator('.card-note').innerText()).toBe('1 point');
    await writeRun(logdir, 'later', [{ step: 2, scalars: { loss: 2 } }]);
    await site.upload(logdir, '--name', 'growing');
    for (const i of [0, 1]) await blocks(visit).nth(i).locator('.report-foot').getByText('later').waitFor();
    expect(visit.requests.filter((request) => request.includes('/events'))).toHaveLength(1);
    expect(visit.faults).toEqual([]);
  });

  it('show new data of all their experiments, with few connections', async () => {
    const grown: string[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      await writeRun(site.folder(name), 'run', [{ step: 1, scalars: { loss: 1 } }]);
      grown.push((await site.upload(site.folder(name), '--name', name)).experiment_id);
    }
    const report = await make('Growing together', grown.map((one) => block(`/e/${one}?card=loss`)).join('\n\n'));
    const visit = await site.visit();
    await visit.open(`/reports/${report}`);
    for (const i of [0, 1, 2, 3]) {
      await blocks(visit).nth(i).scrollIntoViewIfNeeded();
      await blocks(visit).nth(i).locator('canvas').first().waitFor();
    }
    const streams = () => visit.requests.filter((request) => request.includes('/events'));
    await expect.poll(() => new Set(streams()).size).toBe(3);
    const polled = grown.findIndex((one) => !streams().some((request) => request.includes(one)));
    const name = ['one', 'two', 'three', 'four'][polled]!;
    await writeRun(site.folder(name), 'later', [{ step: 2, scalars: { loss: 2 } }]);
    await site.upload(site.folder(name), '--name', name);
    // Someone who returns to the page need not wait for the next request.
    for (const hidden of [true, false]) await visit.hide(hidden);
    await blocks(visit).nth(polled).locator('.report-foot').getByText('later').waitFor();
    expect(new Set(streams()).size).toBe(3);
    expect(visit.faults).toEqual([]);
  });

  it('are found in the palette', async () => {
    const report = await make('Optimizers', 'x');
    const visit = await site.visit();
    await visit.open('/');
    await visit.page.keyboard.press('Control+k');
    await visit.page.keyboard.type('optimiz');
    await visit.page.getByRole('option', { name: 'Optimizers report' }).waitFor();
    expect(await violations(visit)).toEqual([]);
    await visit.page.keyboard.press('Enter');
    await visit.page.waitForURL(`/reports/${report}`);
    expect(visit.faults).toEqual([]);
  });

  it('are frozen by the address of a snapshot', async () => {
    const { id: frozen } = await site.service.json<{ id: string }>(`/experiments/${id}/snapshots`, {});
    const visit = await site.visit();
    await visit.open(`/reports/${await make('Frozen', block(`/e/${frozen}?card=train%2Floss`))}`);
    await blocks(visit).locator('canvas').first().waitFor();
    expect(await blocks(visit).locator('.report-foot').innerText()).toContain('Frozen');
    await visit.page.getByRole('link', { name: 'Edit', exact: true }).click();
    await visit.page.getByLabel('Freeze').check();
    await visit.page.getByLabel('Add view').fill(`/e/${id}?card=train%2Floss`);
    await visit.page.keyboard.press('Enter');
    await expect.poll(() => blocks(visit).count()).toBe(2);
    await expect.poll(() => blocks(visit).locator('.report-foot').getByText('Frozen').count()).toBe(2);
    const written = await visit.page.getByLabel('Text').inputValue();
    const [before, added] = [...written.matchAll(/\/e\/(\w{22})\?card=train/g)].map(([, one]) => one);
    expect(before).toBe(frozen);
    expect([id, frozen]).not.toContain(added);
    expect(visit.faults).toEqual([]);
  });

  it('keep a draft, and show who changed the report in the meantime', async () => {
    const report = await make('Shared', 'one');
    const visit = await site.visit();
    const { page } = visit;
    await visit.open(`/reports/${report}/edit`);
    await page.getByLabel('Text').fill('mine');
    await page.getByText('A draft is kept in this browser.').waitFor();
    await page.reload();
    await page.getByText('Your earlier unsaved changes were restored.').waitFor();
    expect(await page.getByLabel('Text').inputValue()).toBe('mine');
    const other = await site.visit();
    await other.open(`/reports/${report}/edit`);
    await other.page.getByLabel('Text').fill('theirs');
    await other.page.getByRole('button', { name: 'Save' }).click();
    await other.page.locator('main.report').getByText('theirs').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('alert');
    await conflict.getByText(/changed this report on/).waitFor();
    expect(await page.getByLabel('Text').inputValue()).toBe('mine');
    expect(await violations(visit)).toEqual([]);
    await conflict.getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.locator('.report-text').getByText('mine').waitFor();
    expect(visit.faults.filter((fault) => !fault.includes('409'))).toEqual([]);
  });

  it('are deleted by a second click', async () => {
    const report = await make('To delete', 'x');
    const visit = await site.visit();
    await visit.open(`/reports/${report}`);
    await visit.page.getByRole('button', { name: 'Delete To delete' }).click();
    await visit.page.getByRole('button', { name: 'Delete for everyone? To delete' }).click();
    await visit.page.waitForURL(/\/reports$/);
    await visit.page.getByRole('heading', { name: 'Reports' }).waitFor();
    expect(await visit.page.getByRole('link', { name: 'To delete' }).count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });

  it('treat titles, texts and names as text', async () => {
    const body = `${hostile}\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![y](https://elsewhere.example/y.png)\n\n${block(`/e/${media}?tab=images`, hostile)}\n\n${block(`javascript:alert(1)//${hostile}`)}\n\n# ${hostile}`;
    const report = await make(hostile, body);
    const visit = await site.visit();
    for (const path of ['/reports', `/reports/${report}`, `/reports/${report}/edit`]) {
      await visit.open(path);
      await visit.page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
      expect(await visit.page.locator('img[src=x], script:text("alert(1)"), [href^="javascript"]').count()).toBe(0);
      expect(await visit.page.locator('body').innerText()).not.toContain('\u202e');
    }
    expect(visit.faults).toEqual([]);
  });

  it('are accessible in both themes, wide and on a phone', async () => {
    const report = await make('Rates', example());
    for (const options of [{}, { dark: true }, { width: 390, height: 844 }, { width: 390, height: 844, dark: true }, { width: 2560 }]) {
      const visit = await site.visit(options);
      for (const [name, path] of Object.entries({ list: '/reports', report: `/reports/${report}`, editor: `/reports/${report}/edit` })) {
        await visit.open(path);
        if (name !== 'list') await blocks(visit).nth(1).locator('canvas').first().waitFor();
        await visit.settled();
        expect([name, options, await violations(visit)]).toEqual([name, options, []]);
        const { wide, window: inner } = await visit.page.evaluate<{ wide: number; window: number }>(
          '({ wide: document.documentElement.scrollWidth, window: innerWidth })',
        );
        expect(wide).toBeLessThanOrEqual(inner);
        if (shots) {
          const form = `${options.width ?? 'light'}${'dark' in options ? '-dark' : ''}`;
          await visit.page.screenshot({ path: `${shots}/${name}-${form}.png` });
          if (name === 'report') {
            await blocks(visit).nth(2).scrollIntoViewIfNeeded();
            await visit.settled();
            await visit.page.screenshot({ path: `${shots}/tables-${form}.png` });
            await blocks(visit).nth(5).scrollIntoViewIfNeeded();
            await visit.settled();
            await visit.page.screenshot({ path: `${shots}/end-${form}.png` });
          }
        }
      }
    }
  });
});
