import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { eventRecord, scalarValue, versionRecord } from '../../apps/standalone/src/demo/event-record.ts';
import { Site, type Visit } from './browser.ts';
import { payloads } from './payloads.ts';
import { violations } from './violations.ts';

const start = 1_795_000_000;
const count = 1_000_000;
const needle = 654_321;
const oneLine = (payload: string): string => payload.replaceAll(/[\r\n]/g, ' ').toWellFormed();

describeWith(['chromium'], 'the tabs of logs and of system metrics', () => {
  let site: Site;
  let id: string;
  let folder: string;
  let live: string;

  beforeAll(async () => {
    site = await Site.start();
    folder = site.folder('log');
    for (const run of ['long', 'hostile']) {
      await mkdir(join(folder, run), { recursive: true });
      const values = [scalarValue('train/loss', 0.5), scalarValue('system/cpu/percent', 40)];
      const records = [versionRecord(start), ...[0, 1, 2].map((step) => eventRecord(start + step, step, values))];
      await writeFile(join(folder, run, 'events.out.tfevents.1795000000.host'), Buffer.concat(records));
    }
    const lines = Array.from({ length: count }, (_, i) => (i + 1 === needle ? 'WARNING: loss is NaN' : `step ${i + 1} loss 0.5`));
    await writeFile(join(folder, 'long', 'output.1795000000.host.7.0.plotline.log'), `${lines.join('\n')}\n`);
    live = join(folder, 'hostile', 'output.1795000000.host.7.0.rank0.plotline.log');
    const colored =
      '\u001b[1;31mERROR\u001b[0m plain \u001b[32mfine\u001b[0m \u001b[33mcareful\u001b[0m \u001b[34mnote\u001b[0m \u001b[35mm\u001b[0m \u001b[36mc\u001b[0m';
    await writeFile(live, [colored, ...payloads.map(oneLine), 'last words', ''].join('\n'));
    id = (await site.upload(folder, '--name', 'logs')).experiment_id;
  });
  afterAll(() => site?.close());

  const open = async (query: string, options = {}): Promise<Visit> => {
    const visit = await site.visit({ width: 1600, height: 900, ...options });
    await visit.open(`/e/${id}?tab=logs${query}`);
    return visit;
  };
  /** The lines in view, by number. */
  const lines = ({ page }: Visit) =>
    page.evaluate<Record<string, string>>(`(() => {
      const box = document.querySelector('.log-lines').getBoundingClientRect();
      return Object.fromEntries([...document.querySelectorAll('.log-line')]
        .filter((line) => line.getBoundingClientRect().top < box.bottom - 4)
        .map((line) => [line.dataset.line, line.querySelector('.log-text').textContent]));
    })()`);
  const shows = async (visit: Visit, line: number, text: string): Promise<void> => {
    await expect.poll(async () => (await lines(visit))[line], { timeout: 30_000 }).toBe(text);
  };

  it('opens a million lines at their end, and any of them by scrolling, in a few small requests', async () => {
    const visit = await open('&run=long');
    await shows(visit, count, `step ${count} loss 0.5`);
    await visit.page.locator('.log-lines').evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
    await expect
      .poll(
        async () =>
          Object.entries(await lines(visit)).filter(
            ([line, text]) => Math.abs(Number(line) - count / 2) < 100 && text === `step ${line} loss 0.5`,
          ).length,
      )
      .toBeGreaterThan(20);
    await visit.page.locator('.log-lines').evaluate((element) => (element.scrollTop = 0));
    await shows(visit, 1, 'step 1 loss 0.5');
    await visit.page.locator('.log-lines').focus();
    await visit.page.keyboard.press('End');
    await shows(visit, count, `step ${count} loss 0.5`);
    const reads = visit.requests.filter((request) => /\/logs\/\d+\?/.test(request));
    expect(reads.length).toBeLessThan(12);
    expect(reads.every((request) => /[?&]lines=500(&|$)/.test(request))).toBe(true);
    expect(visit.requests.some((request) => request.includes('/content'))).toBe(false);
    expect(visit.faults).toEqual([]);
  });

  it('searches all of them, and goes to the match', async () => {
    const visit = await open('&run=long');
    await visit.page.getByLabel('Search the log').fill('loss is nan');
    await visit.page.keyboard.press('Enter');
    await shows(visit, needle, 'WARNING: loss is NaN');
    expect(await visit.page.locator('.log-line.marked').getAttribute('data-line')).toBe(String(needle));
    await visit.page.getByLabel('Search the log').fill('nothing like this');
    await visit.page.keyboard.press('Enter');
    await visit.page.getByText('No match').waitFor();
  });

  it('shows what a run prints as text, with colors and nothing else', async () => {
    const visit = await open('&run=hostile');
    await shows(visit, payloads.length + 2, 'last words');
    await visit.page.locator('.log-lines').evaluate((element) => (element.scrollTop = 0));
    await shows(visit, 1, 'ERROR plain fine careful note m c');
    expect(await visit.page.locator('.log-line .ansi-red').first().textContent()).toBe('ERROR');
    expect(await visit.page.locator('.log-text *:not(span)').count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });

  it('follows a log that grows, until the reader scrolls up', async () => {
    const visit = await open('&run=hostile');
    const before = payloads.length + 2;
    await shows(visit, before, 'last words');
    await appendFile(live, Array.from({ length: 200 }, (_, i) => `new ${i}\n`).join(''));
    await site.upload(folder);
    await shows(visit, before + 200, 'new 199');
    await visit.page.locator('.log-lines').evaluate((element) => (element.scrollTop -= 1_000));
    await expect.poll(() => visit.page.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed')).toBe('false');
    await appendFile(live, 'newest\n');
    await site.upload(folder);
    await visit.page.getByText(`${before + 201} lines`, { exact: true }).waitFor();
    expect(await lines(visit)).not.toHaveProperty(String(before + 201));
    await visit.page.getByRole('button', { name: 'Follow' }).click();
    await shows(visit, before + 201, 'newest');
  });

  it.each([
    ['light', {}],
    ['dark', { dark: true }],
    ['phone', { width: 390, height: 844 }],
  ])('can be used by everybody: %s', async (_, options) => {
    const visit = await open('&run=hostile', options);
    await visit.page.getByText('last words').or(visit.page.getByText('newest')).first().waitFor();
    await visit.page.locator('.log-lines').evaluate((element) => (element.scrollTop = 0));
    await shows(visit, 1, 'ERROR plain fine careful note m c');
    expect(await violations(visit)).toEqual([]);
  });

  it('has system metrics on a tab of their own', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}`);
    await visit.card('train/loss').waitFor();
    expect(await visit.card('system/cpu/percent').count()).toBe(0);
    await visit.page.getByRole('link', { name: 'System' }).click();
    await visit.card('system/cpu/percent').getByText('CPU Utilization (%)', { exact: true }).waitFor();
    await visit.page.getByRole('button', { name: 'CPU 1' }).waitFor();
    expect(await visit.card('train/loss').count()).toBe(0);
    await visit.page.getByRole('link', { name: 'Logs' }).click();
    await visit.page.locator('.log-lines').waitFor();
    for (const card of ['train/loss', 'system/cpu/percent']) {
      await visit.open(`/e/${id}?card=${card}`);
      await visit.page.locator('dialog.alone').getByText('1 of 1', { exact: true }).waitFor();
    }
    expect(visit.faults).toEqual([]);
  });

  it('offers the logs in the palette, and in links only where they are checked', async () => {
    const visit = await site.visit({ width: 1600, height: 900 });
    await visit.open(`/e/${id}`);
    await visit.page.keyboard.press('Control+k');
    await visit.page.getByRole('combobox', { name: 'Go to' }).fill('logs');
    await visit.page.keyboard.press('Enter');
    await visit.page.locator('.log-lines').waitFor();
    await visit.page.getByRole('button', { name: 'Share' }).click();
    const form = visit.page.getByRole('form', { name: 'New link' });
    const logs = form.getByRole('checkbox', { name: 'Include logs' });
    expect(await logs.isChecked()).toBe(false);
    await logs.check();
    await form.getByRole('checkbox', { name: 'Anonymous' }).check();
    expect([await logs.isChecked(), await logs.isDisabled()]).toEqual([false, true]);
    await form.getByRole('checkbox', { name: 'Anonymous' }).uncheck();
    await form.getByRole('textbox', { name: 'Label' }).fill('checked');
    await form.getByRole('button', { name: 'Create link' }).click();
    await visit.page.getByRole('button', { name: 'Create another' }).click();
    await form.getByRole('textbox', { name: 'Label' }).fill('plain');
    await form.getByRole('button', { name: 'Create link' }).click();
    await visit.page.getByRole('region', { name: 'Links' }).getByText('with logs').waitFor();
    const { share_links: links } = await site.service.json<{ share_links: { name: string; logs: boolean }[] }>(
      `/experiments/${id}/share-links`,
    );
    expect(Object.fromEntries(links.map(({ name, logs: granted }) => [name, granted]))).toEqual({ checked: true, plain: false });
    expect(visit.faults).toEqual([]);
  });

  it('shows visitors the logs of their link, and no tab without any', async () => {
    const cookie = async (body: object): Promise<Visit> => {
      const made = await site.service.json<{ url: string }>(`/experiments/${id}/share-links`, body);
      const visit = await site.visit({ stranger: true });
      await visit.page.goto(new URL(made.url).pathname);
      await visit.settled();
      return visit;
    };
    const all = await cookie({ runs: ['hostile'], logs: true });
    await all.page.getByRole('link', { name: 'Logs' }).click();
    await all.page.getByText('last words').or(all.page.getByText('newest')).first().waitFor();
    for (const body of [{}, { anonymous: true }]) {
      const without = await cookie(body);
      await without.card('train/loss').waitFor();
      expect(await without.page.getByRole('link', { name: 'Logs' }).count()).toBe(0);
    }
  });
});
