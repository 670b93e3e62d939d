import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { writeLongRun, writeRun } from './logs.ts';
import { violations } from './violations.ts';

const hostile = '"><img src=x onerror=alert(1)>\u202e tokens';

describeWith(['chromium'], 'x axes and formulas', () => {
  let site: Site;
  let id: string;
  let longId: string;

  beforeAll(async () => {
    site = await Site.start();
    const events = (factor: number) =>
      Array.from({ length: 40 }, (_, step) => ({
        step,
        wallTime: 1_795_255_000 + step,
        scalars: {
          'train/loss': 4 / (step + 1),
          ...(step % 4 === 0 && { 'val/loss': 5 / (step + 1) }),
          tokens: step * factor,
          [hostile]: step * 2,
        },
      }));
    await writeRun(site.folder('log'), 'small', events(1_000));
    await writeRun(site.folder('log'), 'large', events(4_000));
    id = (await site.upload(site.folder('log'), '--name', 'axes')).experiment_id;
    await writeLongRun(site.folder('long'), 'run', 'loss', 30_000, (step) => (step * 7) % 1000);
    await writeLongRun(site.folder('long'), 'run/x', 'loss', 10, (step) => step);
    longId = (await site.upload(site.folder('long'), '--name', 'long')).experiment_id;
  });
  afterAll(() => site?.close());

  /** Moves the pointer over a chart. Returns the tooltip text. */
  async function tooltipAt({ page }: Visit, card: string, x: number): Promise<string> {
    const tooltip = page.locator('.tooltip.on');
    // The chart may still move while the page loads.
    await expect
      .poll(async () => {
        const box = (await page.locator(`article[aria-label="${card}"] .u-over`).first().boundingBox())!;
        await page.mouse.move(box.x + x * box.width, box.y + box.height / 2 + 1);
        await page.mouse.move(box.x + x * box.width, box.y + box.height / 2);
        return tooltip.count();
      })
      .toBe(1);
    return tooltip.innerText();
  }

  it('draws runs along any tag of theirs, in the address', async () => {
    const visit = await site.visit({ height: 1_100 });
    const { page } = visit;
    await visit.open(`/e/${id}`);
    await page.getByRole('button', { name: 'Tag on the x axis' }).click();
    expect(await violations(visit)).toEqual([]);
    await page.getByLabel('Search tags for the x axis').fill('toke');
    expect(await page.locator('.x-tags label').count()).toBe(2);
    await page.getByRole('radio', { name: 'tokens', exact: true }).check();
    await page.waitForURL(/xAxis=tag%3Atokens/);
    await page.keyboard.press('Escape');
    await visit.settled();
    // The large run has four times the tokens at each step, so the small run ends at a quarter of
    // the axis.
    const text = await tooltipAt(visit, 'train/loss', 0.99);
    expect(text).toContain('tokens 156000 · step 39');
    const focused = page.locator('article[aria-label="train/loss"] .chart-box').first();
    expect(await focused.getAttribute('aria-label')).toMatch(/tokens 0 to 156,000|tokens 0 to 156000/);
    await visit.page.reload();
    await visit.settled();
    expect(await tooltipAt(visit, 'train/loss', 0.99)).toContain('tokens 156000');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    expect(visit.faults).toEqual([]);
  });

  it('takes tags with any name, and says where no run has the tag', async () => {
    const visit = await site.visit({ height: 1_100 });
    await visit.open(`/e/${id}?xAxis=${encodeURIComponent(`tag:${hostile}`)}`);
    expect(await tooltipAt(visit, 'train/loss', 0.99)).toContain('78 · step 39');
    await visit.open(`/e/${id}?xAxis=tag%3Amissing`);
    await visit.card('train/loss').getByText('The selected runs have no values for the tag on the x axis.').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('adds charts of formulas, which stay in the address', async () => {
    const visit = await site.visit({ height: 1_100 });
    const { page } = visit;
    await visit.open(`/e/${id}?smoothing=0`);
    await page.getByRole('button', { name: 'Formula', exact: true }).click();
    expect(await violations(visit)).toEqual([]);
    await page.getByLabel("Formula over a run's tags").fill('val/loss - train/loss');
    await page.getByRole('button', { name: 'Add chart' }).click();
    await page.waitForURL(/panel=/);
    const card = visit.card('val/loss - train/loss');
    await card.locator('.card-note').getByText('20 points').waitFor();
    await visit.settled();
    expect(await tooltipAt(visit, 'val/loss - train/loss', 0.001)).toContain('1');
    await page.reload();
    await visit.settled();
    await card.locator('.uplot').waitFor();
    expect(await violations(visit)).toEqual([]);
    await page.getByRole('button', { name: 'Remove val/loss - train/loss' }).click();
    await expect.poll(() => card.count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });

  it('says what is wrong with a formula, and is safe whatever it says', async () => {
    const visit = await site.visit({ height: 1_100 });
    const panel = (formula: string) => `panel=${encodeURIComponent(JSON.stringify({ formula }))}`;
    await visit.page.goto(`/e/${id}?${panel('log(')}&${panel('<img src=x onerror=alert(1)>')}&${panel('"nothing" + 1')}`);
    await visit.card('log(').getByText('The formula ends where a tag or a number is missing').waitFor();
    await visit.card('<img src=x onerror=alert(1)>').getByText('The formula').waitFor();
    await visit.card('"nothing" + 1').getByText('No data for the selected runs.').waitFor();
    // Chromium reports the two rejected requests.
    expect(visit.faults.filter((fault) => !/400 \(Bad Request\)/.test(fault))).toEqual([]);
  });

  it('computes a long run exactly, in buckets and zoomed', async () => {
    const visit = await site.visit({ height: 1_100 });
    await visit.open(`/e/${longId}?smoothing=0&run=run&panel=${encodeURIComponent('{"formula":"loss * 2 - 1"}')}`);
    const card = visit.card('loss * 2 - 1');
    await card.locator('.card-note').getByText('30 k points, downsampled').waitFor();
    await visit.open(`/e/${longId}?smoothing=0&run=run&from=100&to=110&panel=${encodeURIComponent('{"formula":"loss * 2 - 1"}')}`);
    const text = await tooltipAt(visit, 'loss * 2 - 1', 0.5);
    expect(text).toMatch(/\b1,?469\b/); // 2 · (105 · 7) − 1
    expect(visit.faults).toEqual([]);
  });
});
