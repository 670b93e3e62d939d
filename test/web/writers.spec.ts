import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site } from './browser.ts';
import { writeRun } from './logs.ts';

/**
 * Two ranks that log one tag at the same time, at the same steps; and a run that was resumed at an
 * earlier step.
 */
const ranks = [2, 6] as const;
const steps = 400;

describeWith(['chromium'], 'runs with several writers', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    const folder = site.folder('ranks');
    for (const [rank, value] of ranks.entries())
      await writeRun(
        folder,
        'train',
        Array.from({ length: steps }, (_, step) => ({ step, wallTime: 1_700_000_000 + step + rank / 2, scalars: { loss: value } })),
        `events.out.tfevents.1700000000.host.${rank}.0.v2`,
      );
    for (const [file, from] of [0, 200].entries())
      await writeRun(
        folder,
        'resumed',
        Array.from({ length: 300 }, (_, i) => ({
          step: from + i,
          wallTime: 1_700_000_000 + 1000 * file + i,
          scalars: { resumed: file },
        })),
        `events.out.tfevents.170000000${file}.host.9.${file}.v2`,
      );
    id = (await site.upload(folder, '--name', 'ranks')).experiment_id;
  });
  afterAll(() => site?.close());

  it('have a line for each writer with all of its points, and nothing is shown as superseded', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?smoothing=0`);
    const card = visit.card('loss');
    expect(await card.locator('.card-note').textContent()).toBe(`${2 * steps} points`);
    expect(await card.getByRole('button', { name: 'replaced' }).count()).toBe(0);
    const box = (await card.locator('.u-over').boundingBox())!;
    await visit.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const rows = visit.page.locator('.tooltip.on tbody tr:not([hidden])');
    await expect.poll(() => rows.count()).toBe(2);
    const texts = await rows.allTextContents();
    for (const [writer, value] of ranks.entries())
      expect(texts).toContainEqual(expect.stringMatching(new RegExp(`^train · writer ${writer}${value}`)));
    // The page correctly says that a run was resumed at an earlier step.
    await visit.card('resumed').getByRole('button', { name: 'replaced' }).waitFor();
    const title = await visit.card('resumed').getByRole('button', { name: 'replaced' }).getAttribute('title');
    expect(title).toMatch(/^100 points are superseded/);
    expect(visit.faults).toEqual([]);
  });

  it('can be drawn as their mean, on the page and in images, and the address keeps the choice', async () => {
    const visit = await site.visit();
    await visit.open(`/e/${id}?smoothing=0&writers=mean`);
    const card = visit.card('loss');
    const box = (await card.locator('.u-over').boundingBox())!;
    await visit.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const rows = visit.page.locator('.tooltip.on tbody tr:not([hidden])');
    await expect.poll(() => rows.count()).toBe(1);
    expect((await rows.allTextContents())[0]).toMatch(/^train4/);
    for (const [query, legend] of [
      ['', ['train · writer 0', 'train · writer 1']],
      ['?writers=mean', []],
    ] as const) {
      const svg = await (await visit.page.request.get(`/e/${id}/loss.svg${query}`)).text();
      expect([...svg.matchAll(/>(train · writer \d)</g)].map(([, name]) => name)).toEqual(legend);
    }
    expect(visit.faults).toEqual([]);
  });
});
