import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { chromiumPath, Site, type Visit } from './browser.ts';
import { sweep, writeTrainings } from './logs.ts';
import { violations } from './violations.ts';

/** Set this variable to a folder to save pictures of the dialogs. */
const shots = process.env.EXPORTS_SHOTS;
const forms = {
  light: {},
  dark: { dark: true },
  phone: { width: 390, height: 844 },
  'phone-dark': { width: 390, height: 844, dark: true },
} as const;

describeWith(['chromium'], 'exports and snapshots on the page of an experiment', () => {
  let site: Site;
  let id: string;
  const [first, second] = sweep.map(({ run }) => run) as [string, string];

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 3));
    id = (await site.upload(site.folder('sweep'), '--name', 'sweep')).experiment_id;
  });
  afterAll(() => site?.close());

  const open = async (visit: Visit, button: 'Export' | 'Snapshot'): Promise<void> => {
    await visit.page.getByRole('button', { name: button, exact: true }).click();
    await visit.page.getByRole('form').waitFor();
    await visit.settled();
  };
  const shoot = async (visit: Visit, name: string): Promise<void> => {
    if (shots) await visit.page.screenshot({ path: `${shots}/${name}.png` });
  };

  it('exports what the page shows, downloads it, and deletes it', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open(`/e/${id}?tagFilter=loss&run=${encodeURIComponent(first)}&run=${encodeURIComponent(second)}`);
    await open(visit, 'Export');
    const form = page.getByRole('form', { name: 'New export' });
    await form.getByLabel('Format').selectOption('csv');
    await form.getByLabel('Currently shown: 2 of 3 runs, 2 of').check();
    await form.getByRole('button', { name: 'Start export' }).click();
    const download = page.getByRole('link', { name: 'Download' });
    await download.waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
    const text = await readFile(await file.path(), 'utf8');
    const rows = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','));
    expect(new Set(rows.map(([run]) => run))).toEqual(new Set([first, second]));
    expect(new Set(rows.map(([, tag]) => tag))).toEqual(new Set(['train/loss', 'validation/loss']));
    expect(file.suggestedFilename()).toBe('scalars.csv');
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('button', { name: 'Delete the export as CSV' }).click();
    await page.getByRole('button', { name: 'Delete? the export as CSV' }).click();
    await download.waitFor({ state: 'detached' });
    expect((await site.service.json<{ exports: unknown[] }>(`/experiments/${id}/exports`)).exports).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('exports event files as uploaded, of the runs that the page shows, and links each', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open(`/e/${id}?run=${encodeURIComponent(first)}&run=${encodeURIComponent(second)}`);
    await open(visit, 'Export');
    const form = page.getByRole('form', { name: 'New export' });
    await form.getByLabel('Format').selectOption('raw');
    await form.getByLabel('Currently shown: 2 of 3 runs', { exact: true }).check();
    await form.getByRole('button', { name: 'Start export' }).click();
    const list = page.getByRole('region', { name: 'Exports' });
    await list.getByText('2 files, ').waitFor();
    await list.getByText('Files', { exact: true }).click();
    const links = list.locator('.export-files a');
    await expect.poll(() => links.count()).toBe(2);
    const paths = await links.allInnerTexts();
    expect(paths.map((path) => path.slice(0, path.lastIndexOf('/'))).sort()).toEqual([first, second].sort());
    for (const [i, path] of paths.entries()) {
      const [file] = await Promise.all([page.waitForEvent('download'), links.nth(i).click()]);
      expect(await readFile(await file.path())).toEqual(await readFile(`${site.folder('sweep')}/${path}`));
    }
    expect(await violations(visit)).toEqual([]);
    await shoot(visit, 'raw');
    await page.getByRole('button', { name: 'Delete the export as Event files as uploaded' }).click();
    await page.getByRole('button', { name: 'Delete? the export as Event files as uploaded' }).click();
    await page.getByText('No exports yet.').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('shows the progress of an export, and cancels it', async () => {
    const slow = await Site.start(chromiumPath(), { env: { PLOTLINE_FAILPOINTS: 'during-export=sleep:20000' } });
    try {
      const { experiment_id: own } = await slow.upload(site.folder('sweep'), '--name', 'sweep');
      const visit = await slow.visit();
      const { page } = visit;
      await visit.open(`/e/${own}`);
      await open(visit, 'Export');
      await page.getByText('No exports yet.').waitFor();
      await page.getByRole('button', { name: 'Start export' }).click();
      const progress = page.getByRole('progressbar', { name: 'Written points' });
      await progress.waitFor();
      await expect.poll(async () => Number(await progress.getAttribute('max'))).toBeGreaterThan(1);
      expect(await violations(visit)).toEqual([]);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('No exports yet.').waitFor();
      expect((await slow.service.json<{ exports: unknown[] }>(`/experiments/${own}/exports`)).exports).toEqual([]);
      expect(visit.faults).toEqual([]);
    } finally {
      await slow.close();
    }
  });

  it('creates a citable snapshot, and its page shows how to cite it', async () => {
    const visit = await site.visit();
    const { page } = visit;
    const hostile = '</script><img src=x onerror=alert(1)>';
    await visit.open(`/e/${id}`);
    await open(visit, 'Snapshot');
    const form = page.getByRole('form', { name: 'New snapshot' });
    expect(await form.getByLabel('Title').inputValue()).toBe('sweep');
    await form.getByLabel('Title').fill(`Rates ${hostile}`);
    await form.getByLabel('Authors, one per line').fill('Doe, Jane\n\n Vision Lab ');
    await form.getByLabel('License').fill('CC-BY-4.0');
    await form.getByLabel('Date').fill('2026-11-27');
    expect(await violations(visit)).toEqual([]);
    await form.getByRole('button', { name: 'Create snapshot' }).click();
    await page.getByRole('link', { name: 'Show the citation' }).click();
    await page.getByRole('heading', { name: 'Cite as' }).waitFor();
    const copy = new URL(page.url()).pathname.split('/')[2]!;
    const { digest } = await expect
      .poll(async () => site.service.json<{ digest: string | null }>(`/experiments/${copy}/citation`), { timeout: 20_000 })
      .toMatchObject({ digest: expect.stringMatching(/^sha256:/) })
      .then(() => site.service.json<{ digest: string }>(`/experiments/${copy}/citation`));
    await page.reload();
    expect(await page.evaluate('getComputedStyle(document.querySelector("main h1")).fontFamily')).toContain('Inter Variable');
    await page.getByRole('link', { name: 'Plotline', exact: true }).waitFor(); // the header of all pages
    const text = await page.locator('main').innerText();
    for (const part of [
      `Doe, Jane; Vision Lab (2026): Rates ${hostile}`,
      digest,
      `experiment ${id}`,
      'author = {Doe, Jane and Vision Lab}',
    ])
      expect(text).toContain(part);
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('link', { name: 'Open the snapshot' }).click();
    await page.getByRole('link', { name: 'Cite', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Snapshot', exact: true }).count()).toBe(0);

    await site.service.fetch(`/experiments/${copy}`, { method: 'PATCH', body: JSON.stringify({ visibility: 'public' }) });
    const guest = await site.visit({ stranger: true });
    await guest.open(`/e/${copy}`);
    await guest.page.getByRole('link', { name: 'Cite', exact: true }).click();
    await guest.page.getByText(digest).first().waitFor();
    expect([...visit.faults, ...guest.faults]).toEqual([]);
  });

  it('are accessible in the dark and on a phone', async () => {
    const { id: copy } = await site.service.json<{ id: string }>(`/experiments/${id}/snapshots`, {
      citation: { title: 'Rates', authors: ['Doe, Jane'], license: 'MIT' },
    });
    await site.service.json(`/experiments/${id}/exports`, { format: 'parquet' });
    for (const [form, options] of Object.entries(forms)) {
      const visit = await site.visit(options);
      await visit.open(`/e/${id}`);
      for (const button of ['Export', 'Snapshot'] as const) {
        await open(visit, button);
        expect([form, button, await violations(visit)]).toEqual([form, button, []]);
        await shoot(visit, `${button.toLowerCase()}-${form}`);
        await visit.page.keyboard.press('Escape');
        await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      await shoot(visit, `head-${form}`);
      expect([form, await visit.page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')]).toEqual([form, true]);
      await visit.page.goto(`${site.service.url}/e/${copy}/citation`);
      expect([form, 'citation', await violations(visit)]).toEqual([form, 'citation', []]);
      await shoot(visit, `citation-${form}`);
    }
  });
});
