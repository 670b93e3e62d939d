import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site } from './browser.ts';
import { writeRun } from './logs.ts';
import { violations } from './violations.ts';

describeWith(['chromium'], 'an experiment with unreadable parts of files', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    const folder = site.folder('log');
    await writeRun(
      folder,
      'train',
      Array.from({ length: 20 }, (_, step) => ({ step, scalars: { loss: 1 / (1 + step) } })),
    );
    const [name] = await readdir(join(folder, 'train'));
    const file = join(folder, 'train', name!);
    const bytes = await readFile(file);
    bytes[bytes.length - 10]! ^= 1; // In the last record.
    await writeFile(file, bytes);
    id = (await site.upload(folder, '--name', 'damaged', '--new')).experiment_id;
  });
  afterAll(() => site?.close());

  it.each([
    ['when its page is opened', false],
    ['when coming from the list', true],
  ])('reports them %s, with the reasons in a dialog', async (_, fromList) => {
    const visit = await site.visit();
    await visit.open(fromList ? '/' : `/e/${id}`);
    if (fromList) await visit.page.getByRole('link', { name: 'damaged' }).click();
    const link = visit.page.getByRole('link', { name: '1 problem in files' });
    await link.waitFor();
    await link.click();
    const row = visit.page.getByRole('dialog', { name: 'Problems in files' }).getByRole('row').filter({ hasText: 'data-checksum' });
    expect(await row.innerText()).toMatch(/^train\/events\S+\s+[\d,]+\s+[\d.]+ B\s+data-checksum: /);
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });
});
