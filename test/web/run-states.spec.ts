import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import {
  eventRecord,
  scalarValue,
  sessionEndValue,
  sessionStartValue,
  versionRecord,
} from '../../apps/standalone/src/demo/event-record.ts';
import { Site, type Visit } from './browser.ts';
import { violations } from './violations.ts';

describeWith(['chromium'], 'the state of a run', () => {
  let site: Site;
  let id: string;

  /**
   * `ago`: minutes since the run's last point. `end`: whether the run's end reports success; null
   * if the run has no end.
   */
  async function write(run: string, { ago, starts = true, end = null, value = 1 }: RunSpec): Promise<void> {
    const last = Date.now() / 1000 - ago * 60;
    const records = [
      versionRecord(last - 60),
      ...(starts ? [eventRecord(last - 60, 0, [sessionStartValue({ lr: 0.1 }, last - 60)])] : []),
      eventRecord(last - 30, 1, [scalarValue('loss', value)]),
      eventRecord(last, 2, [scalarValue('loss', 0.5)]),
      ...(end === null ? [] : [eventRecord(last, 3, [sessionEndValue(end, last)])]),
    ];
    const folder = join(site.folder('log'), run);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'events.out.tfevents.1.host'), Buffer.concat(records));
  }

  interface RunSpec {
    readonly ago: number;
    readonly starts?: boolean;
    readonly end?: boolean | null;
    readonly value?: number;
  }

  beforeAll(async () => {
    site = await Site.start();
    await write('fresh', { ago: 0 });
    await write('quiet', { ago: 20 });
    await write('done', { ago: 600, end: true });
    await write('crashed', { ago: 600, end: false, value: Number.NaN });
    await write('plain', { ago: 600, starts: false });
    id = (await site.upload(site.folder('log'), '--name', 'states')).experiment_id;
  });
  afterAll(() => site?.close());

  const states = ({ page }: Visit) =>
    page.evaluate<Record<string, string>>(`Object.fromEntries([...document.querySelectorAll('.run')].map((row) => [
      row.querySelector('.run-name').getAttribute('title'),
      [...row.querySelectorAll('.status')].map((status) => status.textContent.trim()).join(' '),
    ]))`);

  it('is shown in the list, with NaN', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}`);
    await expect
      .poll(() => states(visit))
      .toEqual({ fresh: 'Running', quiet: 'Stalled', done: 'Finished', crashed: 'NaN Failed', plain: '' });
    expect(await visit.page.getByText('NaN', { exact: true }).first().getAttribute('title')).toBe('Logged NaN in loss');
    expect(await visit.page.locator('.status.stalled').getAttribute('title')).toMatch(
      /^Stalled: no data for 2\d min, and the run has not logged its end$/,
    );
    for (const colorScheme of ['light', 'dark'] as const) {
      await visit.page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    expect(visit.faults).toEqual([]);
  });

  it('is stalled after the time that the reader sets, and filters the list', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}`);
    await visit.page.getByRole('button', { name: 'Filter, sort, color and group runs' }).click();
    await visit.page.getByLabel('Stalled after').selectOption('30 minutes without data');
    await expect.poll(async () => (await states(visit)).quiet).toBe('Running');
    await visit.page.waitForURL(/stalledAfter=30/);
    await visit.open(`/e/${id}?where=status%20stalled`);
    expect(Object.keys(await states(visit))).toEqual(['quiet']);
    await visit.open(`/e/${id}?where=status%20failure`); // as older addresses say it
    expect(Object.keys(await states(visit))).toEqual(['crashed']);
    expect(visit.faults).toEqual([]);
  });

  it('changes as time passes', async () => {
    const visit = await site.visit();
    await visit.page.clock.install();
    await visit.open(`/e/${id}`);
    await expect.poll(async () => (await states(visit)).fresh).toBe('Running');
    await visit.page.clock.fastForward('15:00');
    await expect.poll(async () => (await states(visit)).fresh).toBe('Stalled');
    expect(visit.faults).toEqual([]);
  });
});
