import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, seededRandom } from '#testing';
import {
  eventRecord,
  scalarValue,
  sessionEndValue,
  sessionStartValue,
  versionRecord,
} from '../../apps/standalone/src/demo/event-record.ts';
import { Site, type Visit } from './browser.ts';
import { violations } from './violations.ts';

/** A run as it was logged. */
interface Logged {
  readonly run: string;
  readonly lr: number;
  readonly opt: string;
  readonly start: number;
  readonly accuracies: readonly number[];
}

const start = 1_795_000_000;
const random = seededRandom(7);
const logged: readonly Logged[] = [0.001, 0.01, 0.1].flatMap((lr, i) =>
  ['adam', 'sgd'].flatMap((opt, j) =>
    [1, 2, 3].map((seed) => ({
      run: `${opt}-${lr}-${seed}`,
      lr,
      opt,
      start: start + 1000 * i + 100 * j + 10 * seed,
      accuracies: Array.from({ length: 4 + seed }, () => Math.round(random() * 1e4) / 1e4),
    })),
  ),
);

describeWith(['chromium'], 'the runs table', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    for (const { run, lr, opt, start: at, accuracies } of logged) {
      const records = [
        versionRecord(at),
        eventRecord(at, 0, [sessionStartValue({ lr, opt, amp: 'on' }, at)]),
        ...accuracies.map((value, step) =>
          eventRecord(at + step + 1, step * 10, [scalarValue('val/accuracy', value), scalarValue('train/loss', 1 - value)]),
        ),
        eventRecord(at + accuracies.length + 1, 100, [sessionEndValue(run !== 'sgd-0.1-1', at)]),
      ];
      const folder = join(site.folder('log'), run);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'events.out.tfevents.1.host'), Buffer.concat(records));
    }
    id = (await site.upload(site.folder('log'), '--name', 'table')).experiment_id;
  });
  afterAll(() => site?.close());

  /** Returns the visible rows' cell texts, by column. */
  const table = ({ page }: Visit) =>
    page.evaluate<Record<string, string>[]>(`(() => {
      const heads = [...document.querySelectorAll('.runs-table thead tr:first-child > *')].map((one) => one.querySelector('.sort .cut')?.textContent ?? '');
      return [...document.querySelectorAll('.runs-table tbody tr:not([aria-hidden])')].map((row) =>
        Object.fromEntries([...row.children].map((cell, i) => [heads[i], cell.textContent.trim()]).filter(([head]) => head !== '')));
    })()`);
  const names = async (visit: Visit) => (await table(visit)).map(({ Run }) => Run);
  const open = async (query = '', options = {}) => {
    const visit = await site.visit({ width: 1600, height: 1000, ...options });
    await visit.open(`/e/${id}?tab=runs${query}`);
    await expect.poll(async () => (await table(visit)).length).toBeGreaterThan(0);
    return visit;
  };

  it('shows state, times, what differs, and last values, as logged', async () => {
    const visit = await open();
    const rows = await table(visit);
    expect(rows.map(({ Run }) => Run)).toEqual(logged.toSorted((a, b) => a.start - b.start).map(({ run }) => run));
    expect(Object.keys(rows[0]!)).toEqual(['Run', 'State', 'Started', 'Duration', 'Last step', 'val/accuracy', 'train/loss', 'lr', 'opt']);
    for (const row of rows) {
      const { lr, opt, accuracies } = logged.find(({ run }) => run === row.Run)!;
      expect(row).toMatchObject({
        State: row.Run === 'sgd-0.1-1' ? 'Failed' : 'Finished',
        Duration: expect.stringMatching(/^\d+(\.\d)? s$/),
        'Last step': String((accuracies.length - 1) * 10),
        lr: String(lr),
        opt,
      });
      expect(Number(row['val/accuracy'])).toBeCloseTo(accuracies.at(-1)!, 4);
      expect(Number(row['train/loss'])).toBeCloseTo(1 - accuracies.at(-1)!, 4);
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await visit.page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    expect(visit.faults).toEqual([]);
  });

  it('sorts and filters as the address says', async () => {
    const visit = await open('&column=max:val/accuracy&column=h:lr');
    await visit.page.getByRole('button', { name: 'val/accuracy (max)', exact: true }).click();
    await visit.page.waitForURL(/sort=-max%3Aval%2Faccuracy/);
    const best = ({ accuracies }: Logged) => Math.fround(Math.max(...accuracies));
    const sorted = logged.toSorted((a, b) => best(b) - best(a) || (a.run < b.run ? -1 : 1)).map(({ run }) => run);
    await expect.poll(() => names(visit)).toEqual(sorted);
    await visit.page.getByRole('button', { name: 'Filters' }).click();
    await visit.page.getByLabel('Filter by lr').fill('>= 0.01');
    await visit.page.getByLabel('Filter by val/accuracy (max)').fill('0.5..0.95');
    const wanted = sorted.filter((run) => {
      const one = logged.find((other) => other.run === run)!;
      return one.lr >= 0.01 && best(one) >= 0.5 && best(one) <= 0.95;
    });
    expect(wanted.length).toBeGreaterThan(0);
    await expect.poll(() => names(visit)).toEqual(wanted);
    await visit.page.getByText(`${wanted.length} of 18 runs`).waitFor();
    await visit.page.getByLabel('Filter runs by regular expression').fill('^adam.*[12]$');
    await expect.poll(() => names(visit)).toEqual(wanted.filter((run) => /^adam.*[12]$/.test(run)));
    await visit.page.waitForURL(/runFilter=/);
    await visit.page.reload();
    await expect.poll(() => names(visit)).toEqual(wanted.filter((run) => /^adam.*[12]$/.test(run)));
    await visit.page.getByLabel('Filter by lr').fill('nothing');
    await visit.page.getByText('No runs match these filters.').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('has the step of the largest value, in a column and in a tooltip', async () => {
    const visit = await open('&column=max:val/accuracy&column=max_step:val/accuracy&column=min:train/loss');
    const best = ({ accuracies }: Logged) => 10 * accuracies.indexOf(Math.max(...accuracies));
    const by = new Map(logged.map((one) => [one.run, best(one)]));
    for (const row of await table(visit)) expect(row['val/accuracy (step of max)']).toBe(String(by.get(row['Run']!)));
    const titles = visit.page.locator('.runs-table tbody td[title*=" at step "]');
    expect(await titles.count()).toBe(2 * logged.length);
    const first = (await names(visit))[0]!;
    expect(await titles.nth(1).getAttribute('title')).toMatch(new RegExp(` at step ${by.get(first)}$`)); // of the loss, which is 1 - accuracy
    await visit.page.getByRole('button', { name: 'val/accuracy (step of max)', exact: true }).click();
    const sorted = logged.toSorted((a, b) => best(b) - best(a) || (a.run < b.run ? -1 : 1)).map(({ run }) => run);
    await expect.poll(() => names(visit)).toEqual(sorted);
    await visit.page.getByRole('button', { name: 'Filters' }).click();
    await visit.page.getByLabel('Filter by val/accuracy (step of max)').fill('>= 30');
    await expect.poll(() => names(visit)).toEqual(sorted.filter((run) => by.get(run)! >= 30));
    expect(visit.faults).toEqual([]);
  });

  it('has values at a step, and at the best step of another metric', async () => {
    const visit = await open('&column=h:lr');
    const { page } = visit;
    const menu = page.getByRole('button', { name: 'Columns', exact: true });
    await menu.click();
    await page.getByRole('button', { name: 'Add value at a step…' }).click();
    await page.getByLabel('Value of', { exact: true }).fill('val/accuracy');
    const add = page.getByRole('button', { name: 'Add column' });
    await page.getByLabel('Step', { exact: true }).fill('1.5');
    expect(await add.isDisabled()).toBe(true);
    await page.getByLabel('Step', { exact: true }).fill('25');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    await add.click();
    await page.getByRole('button', { name: 'Add value at a step…' }).click();
    await page.getByLabel('Value of', { exact: true }).fill('no such tag');
    await page.getByLabel('At', { exact: true }).selectOption('min');
    expect(await add.isDisabled()).toBe(true);
    await page.getByLabel('Value of', { exact: true }).fill('val/accuracy');
    await page.getByLabel('Smallest value of', { exact: true }).fill('train/loss');
    await add.click();
    await page.keyboard.press('Escape');
    await page.waitForURL(/column=at%3A25%3Aval%2Faccuracy&column=at_min%3A/);
    const [at, best] = ['val/accuracy (at step 25)', 'val/accuracy (at min of train/loss)'] as const;
    const atStep = ({ accuracies }: Logged) => Math.fround(accuracies[Math.min(2, accuracies.length - 1)]!);
    const largest = ({ accuracies }: Logged) => Math.fround(Math.max(...accuracies));
    await expect.poll(async () => (await table(visit))[0]![best]).toMatch(/^0\./);
    for (const row of await table(visit)) {
      const one = logged.find(({ run }) => run === row['Run'])!;
      expect(Number(row[at])).toBeCloseTo(atStep(one), 3);
      expect(Number(row[best])).toBeCloseTo(largest(one), 3); // the loss is 1 - accuracy
    }
    const first = (await names(visit))[0]!;
    const { accuracies } = logged.find(({ run }) => run === first)!;
    const titles = page.locator('.runs-table tbody tr').first().locator('td[title*=" at step "]');
    expect(await titles.nth(0).getAttribute('title')).toMatch(/ at step 20$/);
    expect(await titles.nth(1).getAttribute('title')).toMatch(new RegExp(` at step ${10 * accuracies.indexOf(Math.max(...accuracies))}$`));
    await page.getByRole('button', { name: at, exact: true }).click();
    const sorted = logged.toSorted((a, b) => atStep(b) - atStep(a) || (a.run < b.run ? -1 : 1)).map(({ run }) => run);
    await expect.poll(() => names(visit)).toEqual(sorted);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel(`Filter by ${best}`).fill('>= 0.8');
    const wanted = sorted.filter((run) => largest(logged.find((one) => one.run === run)!) >= 0.8);
    expect(wanted.length).toBeLessThan(sorted.length);
    await expect.poll(() => names(visit)).toEqual(wanted);
    await page.waitForURL(/where=/);
    await page.reload();
    await expect.poll(() => names(visit)).toEqual(wanted);
    await page.setViewportSize({ width: 390, height: 844 });
    await menu.click();
    await page.getByRole('button', { name: 'Add value at a step…' }).click();
    const list = (await page.locator('.menu-list:not([hidden])').boundingBox())!;
    expect(list.x).toBeGreaterThanOrEqual(0);
    expect(list.x + list.width).toBeLessThanOrEqual(390);
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('selects all runs that the filters select, also filters of extremes and their steps', async () => {
    const visit = await open('&column=max:val/accuracy&column=max_step:val/accuracy&column=min:train/loss');
    const { page } = visit;
    const best = ({ accuracies }: Logged) => Math.fround(Math.max(...accuracies));
    const bestStep = ({ accuracies }: Logged) => 10 * accuracies.indexOf(Math.max(...accuracies));
    const wanted = logged.filter((one) => best(one) >= 0.8 && bestStep(one) >= 10);
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted.length).toBeLessThan(logged.length);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Filter by val/accuracy (max)').fill('>= 0.8');
    await page.getByLabel('Filter by val/accuracy (step of max)').fill('>= 10');
    await page.getByText(`${wanted.length} of 18 runs`).waitFor();
    const all = page.getByRole('checkbox', { name: 'Select all runs' });
    await all.click();
    await page.getByText(`${wanted.length} selected`).waitFor();
    expect(await all.isChecked()).toBe(true);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
    const lines = (await readFile(await download.path(), 'utf8')).split('\r\n').slice(1, -1);
    expect(new Set(lines.map((line) => line.split(',')[0]))).toEqual(new Set(wanted.map(({ run }) => run)));
    expect(lines).toHaveLength(wanted.length);
    await all.click();
    await page.getByText(`${wanted.length} of 18 runs`).waitFor();
    // Charts apply the settings that they support: values, but not steps.
    await page.getByRole('link', { name: 'Scalars' }).click();
    await page
      .getByText(`${logged.filter((one) => best(one) >= 0.8).length} of 18 runs`)
      .first()
      .waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('groups by several columns, with mean and standard deviation', async () => {
    const visit = await open('&group=h:opt&group=h:lr&column=m:val/accuracy&sort=-m:val/accuracy');
    const groups = Map.groupBy(logged, ({ opt, lr }) => `${opt} · ${lr}`);
    const stats = [...groups]
      .map(([name, runs]) => {
        const last = runs.map(({ accuracies }) => accuracies.at(-1)!);
        const mean = last.reduce((sum, value) => sum + value, 0) / last.length;
        return { name, mean, std: Math.sqrt(last.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (last.length - 1)) };
      })
      .toSorted((a, b) => b.mean - a.mean);
    await expect
      .poll(async () => (await table(visit)).map((row) => row['opt · lr']?.replace(/\d$/, '')))
      .toEqual(stats.map(({ name }) => name));
    for (const [i, row] of (await table(visit)).entries()) {
      const [mean, std] = row['val/accuracy']!.split(' ± ').map(Number);
      expect(mean).toBeCloseTo(stats[i]!.mean, 2);
      expect(std).toBeCloseTo(stats[i]!.std, 2);
    }
    await visit.page.getByRole('button', { name: stats[0]!.name }).click();
    await expect.poll(() => table(visit)).toHaveLength(9);
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('pins, moves and hides columns, and saves what is shown', async () => {
    const visit = await open();
    const { page } = visit;
    const heads = async () => Object.keys((await table(visit))[0]!);
    const menu = async (column: string, item: string) => {
      await page.getByRole('button', { name: `Column ${column}`, exact: true }).click();
      await page.getByRole('button', { name: item, exact: true }).click();
    };
    await menu('lr', 'Pin left');
    await expect.poll(heads).toEqual(['Run', 'lr', 'State', 'Started', 'Duration', 'Last step', 'val/accuracy', 'train/loss', 'opt']);
    await menu('Started', 'Hide');
    await menu('Duration', 'Hide');
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByRole('button', { name: 'Move opt left' }).click();
    await page.getByLabel('Find a column').fill('accuracy min');
    await page.getByRole('checkbox', { name: 'val/accuracy (min)' }).check();
    const shown = ['lr', 'State', 'Last step', 'val/accuracy', 'opt', 'train/loss', 'val/accuracy (min)'];
    await expect.poll(heads).toEqual(['Run', ...shown]);
    await page.keyboard.press('Escape');
    await page.waitForURL(/column=min%3Aval%2Faccuracy/);
    await page.reload();
    await expect.poll(async () => (await table(visit)).length).toBe(18);
    expect(await heads()).toEqual(['Run', ...shown]);
    await page.getByRole('checkbox', { name: 'Select adam-0.01-2' }).check();
    await page.getByRole('checkbox', { name: 'Select sgd-0.1-1' }).check();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
    const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
    expect(lines[0]).toBe(['run', ...shown].join(','));
    const line = (name: string) => {
      const { run, lr, opt, accuracies } = logged.find((one) => one.run === name)!;
      const f32 = accuracies.map(Math.fround);
      const steps = (accuracies.length - 1) * 10;
      const loss = Math.fround(1 - accuracies.at(-1)!);
      return [run, lr, run === 'sgd-0.1-1' ? 'failed' : 'finished', steps, f32.at(-1), opt, loss, Math.min(...f32)].join(',');
    };
    expect(lines.slice(1)).toEqual([line('adam-0.01-2'), line('sgd-0.1-1'), '']);
    await page.getByRole('button', { name: 'Compare in charts' }).click();
    await page.waitForURL(/run=adam-0.01-2&run=sgd-0.1-1/);
    await page.getByText('2 of 18 runs').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('links to the page of a run, with its properties and charts', async () => {
    const visit = await open();
    const { page } = visit;
    await page.getByRole('link', { name: 'sgd-0.1-1' }).click();
    await page.waitForURL(/\/r\/sgd-0\.1-1\?tab=runs/);
    await visit.settled();
    const { accuracies } = logged.find(({ run }) => run === 'sgd-0.1-1')!;
    const facts = page.getByRole('region', { name: 'About this run' });
    await expect.poll(() => facts.innerText()).toContain('Host');
    const text = (await facts.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain('State Failed');
    expect(text).toContain(`Last step ${(accuracies.length - 1) * 10}`);
    expect(text).toContain(`Points ${2 * accuracies.length}`);
    expect(text).toContain('amp on lr 0.1 opt sgd');
    const [last, min, max] = (await page.locator('.run-metrics tbody tr').first().locator('td').allInnerTexts()).map((cell) =>
      Number(cell.split('\n')[0]),
    );
    expect(last).toBeCloseTo(accuracies.at(-1)!, 4);
    expect(min).toBeCloseTo(Math.min(...accuracies), 4);
    expect(max).toBeCloseTo(Math.max(...accuracies), 4);
    expect(await page.locator('article.card').count()).toBe(2);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('button', { name: 'All runs' }).click();
    await expect.poll(() => names(visit)).toHaveLength(18);
    await visit.open(`/e/${id}?about=nothing`);
    await page.getByText('No run with this name').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('resizes columns by dragging and by keys, and keeps their widths', async () => {
    const visit = await open();
    const { page } = visit;
    // The columns change their widths when the rows arrive.
    await expect.poll(async () => (await table(visit)).length).toBeGreaterThan(0);
    const width = async () => (await page.locator('.runs-table thead th', { hasText: 'Started' }).boundingBox())!.width;
    const edge = page.getByRole('separator', { name: 'Width of Started' });
    const before = await width();
    const box = (await edge.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + 8, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => Math.round((await width()) - before)).toBe(60);
    await edge.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(async () => Math.round((await width()) - before)).toBe(44);
    await expect.poll(() => Math.round(Number(/columnWidth=(\d+)%3Astarted/.exec(page.url())?.[1]) - before)).toBe(44);
    await page.reload();
    await expect.poll(async () => (await table(visit)).length).toBeGreaterThan(0);
    expect(Math.round((await width()) - before)).toBe(44);
    expect(await violations(visit)).toEqual([]);
    await edge.dblclick();
    await expect.poll(async () => Math.round(await width())).toBe(Math.round(before));
    expect(visit.faults).toEqual([]);
  });

  it('is also readable on a phone', async () => {
    const visit = await open('', { width: 390, height: 844 });
    expect(await names(visit)).toHaveLength(18);
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('labels and deletes selected runs; a deletion can be undone for some time', async () => {
    const visit = await site.visit({ width: 1600, height: 1000 });
    const { page } = visit;
    await page.clock.install();
    await visit.open(`/e/${id}?tab=runs`);
    await expect.poll(async () => (await table(visit)).length).toBe(18);
    const select = async (...runs: string[]) => {
      for (const run of runs) await page.getByRole('checkbox', { name: `Select ${run}`, exact: true }).check();
    };
    await select('sgd-0.1-1', 'sgd-0.1-2');
    await page.getByRole('button', { name: 'Labels…' }).click();
    await page.getByLabel('New label').fill('best');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(async () =>
        (await table(visit))
          .filter(({ Labels }) => Labels === 'best')
          .map(({ Run }) => Run)
          .toSorted((a, b) => (a! < b! ? -1 : 1)),
      )
      .toEqual(['sgd-0.1-1', 'sgd-0.1-2']);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Deleting 2 runs in a few seconds.').waitFor();
    await expect.poll(() => names(visit)).toHaveLength(16);
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => names(visit)).toHaveLength(18);
    await page.clock.fastForward(20_000);
    const stored = async () => (await site.service.json<{ runs: { run: string }[] }>(`/experiments/${id}/runs`)).runs.map(({ run }) => run);
    expect(await stored()).toHaveLength(18);
    await select('sgd-0.1-1', 'sgd-0.1-2');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.clock.fastForward(20_000);
    await expect.poll(stored).toHaveLength(16);
    expect(await stored()).not.toContain('sgd-0.1-1');
    expect(visit.faults).toEqual([]);
  });
});
