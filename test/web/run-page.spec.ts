import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { writeRun } from './logs.ts';
import { violations } from './violations.ts';

/** Names that a folder can have. */
const names = [
  '.',
  'plain',
  'sweep/lr=0.1',
  '100%',
  '%2e%2e',
  'a b+c&d=e',
  '?about=plain#hash',
  'loss.svg',
  'r/r/x',
  "<img src=x onerror=alert('1')>",
  'prüfung ☃',
  'back\\slash',
  '\u202eevil',
];

describeWith(['chromium'], 'the page of a run', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    for (const [i, run] of names.entries()) {
      const points = [0, 1, 2].map((step) => ({ step, wallTime: 1_795_255_000 + step, scalars: { loss: 100 + i, 'val/acc': step } }));
      await writeRun(site.folder('log'), run, points);
    }
    id = (await site.upload(site.folder('log'), '--name', 'names')).experiment_id;
  });
  afterAll(() => site?.close());

  const facts = ({ page }: Visit) => page.getByRole('region', { name: 'About this run' });

  it('has its own address, for any name of the run', async () => {
    const visit = await site.visit();
    const { page } = visit;
    for (const [i, run] of names.entries()) {
      await visit.open(`/e/${id}?tab=runs`);
      await page.locator('.runs-table tbody .run-link').nth(i).waitFor();
      const link = page.locator('.runs-table tbody tr', {
        has: page.locator(`input[aria-label=${JSON.stringify(`Select ${shownName(run)}`)}]`),
      });
      await link.locator('.run-link').click();
      await expect.poll(() => facts(visit).innerText()).toContain(String(100 + i));
      const written = new URL(page.url());
      expect([run, written.pathname.startsWith(`/e/${id}/r/`)]).toEqual([run, !['.', 'loss.svg'].includes(run)]);
      await page.reload();
      await visit.settled();
      await expect.poll(() => facts(visit).innerText()).toContain(String(100 + i));
      expect([run, page.url()]).toEqual([run, written.href]);
    }
    expect(visit.faults).toEqual([]);
  });

  it('has the steps of the smallest and the largest value, and all options of the charts in one line', async () => {
    const visit = await site.visit({ width: 1280, height: 800 });
    await visit.open(`/e/${id}/r/plain`);
    const cells = facts(visit).locator('tr', { hasText: 'val/acc' }).locator('td');
    await expect.poll(() => cells.allInnerTexts()).toEqual(['2', '0\nstep 0', '2\nstep 2']);
    expect(await cells.nth(2).getAttribute('title')).toBe('2 at step 2');
    await visit.page.getByRole('button', { name: 'Download all points shown' }).waitFor();
    expect((await visit.page.locator('.run-page .toolbar').boundingBox())!.height).toBeLessThan(50);
    const tops = await visit.page.evaluate<number[]>(
      `[...document.querySelectorAll('.run-page .toolbar button')].map((one) => one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2)`,
    );
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(1);
    expect(visit.faults).toEqual([]);
  });

  it('is reached from the run list and from a locked tooltip, and left by the back button', async () => {
    const visit = await site.visit();
    const { page } = visit;
    await visit.open(`/e/${id}?smoothing=0`);
    await page.locator('.run', { has: page.locator('.run-name[title="plain"]') }).hover();
    await page.getByRole('link', { name: 'Open run plain', exact: true }).click();
    await page.waitForURL(new RegExp(`/e/${id}/r/plain\\?smoothing=0$`));
    await facts(visit).waitFor();
    await page.goBack();
    await page.locator('.runs-list').waitFor();
    await visit.settled();
    const box = (await page.locator('article[aria-label="loss"] .u-over').first().boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + 2);
    const tooltip = page.locator('.tooltip.locked');
    await tooltip.waitFor();
    expect((await tooltip.locator('.tooltip-keys').boundingBox())!.width).toBeLessThanOrEqual(
      (await tooltip.locator('table').boundingBox())!.width + 1,
    );
    const row = tooltip.locator('tbody tr.nearest');
    const opened = await row.getByRole('button').getAttribute('aria-label');
    await row.getByRole('button').click();
    await page.waitForURL(/\/r\//);
    expect(opened).toBe(`Open run ${await facts(visit).locator('h2').innerText()}`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    expect(visit.faults).toEqual([]);
  });

  it('shows visitors what their link grants', async () => {
    const { url } = await site.service.json<{ url: string }>(`/experiments/${id}/share-links`, { runs: ['plain'], tags: ['loss'] });
    const visit = await site.visit({ stranger: true });
    await visit.open(new URL(url).pathname);
    await visit.open(`/e/${id}/r/plain`);
    await expect.poll(() => facts(visit).innerText()).toContain('101');
    const text = await facts(visit).innerText();
    for (const hidden of ['val/acc', 'Host', 'Files', 'events.out']) expect(text).not.toContain(hidden);
    expect(await violations(visit)).toEqual([]);
    await visit.open(`/e/${id}/r/sweep/lr=0.1`);
    await visit.page.getByText('No run with this name').waitFor();
    expect(visit.faults).toEqual([]);
    const stranger = await site.visit({ stranger: true });
    expect((await stranger.page.goto(`/e/${id}/r/plain`))!.status()).toBe(404);
  });
});

/** Returns the name as the page shows it, with invisible characters as their code points. */
function shownName(run: string): string {
  return run.replace('\u202e', '[U+202E]');
}
