import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, seededRandom } from '#testing';
import { eventRecord, scalarValue, sessionStartValue, versionRecord } from '../../apps/standalone/src/demo/event-record.ts';
import { Site, type Visit } from './browser.ts';
import { payloads } from './payloads.ts';
import { violations } from './violations.ts';

/** A run as it was logged. */
interface Logged {
  readonly hparams: Readonly<Record<string, string | number>>;
  readonly scalars: Readonly<Record<string, number>>;
}

const random = seededRandom(21);
const sweep: readonly Logged[] = Array.from({ length: 80 }, (_, seed) => {
  const [lr, opt, width] = [10 ** (-4 + 3 * random()), ['adam', 'sgd', 'lion'][seed % 3]!, 2 ** (5 + Math.floor(4 * random()))];
  const accuracy = 0.9 - 0.2 * (Math.log10(lr) + 2.5) ** 2 - (opt === 'sgd' ? 0.15 : 0) + 0.02 * random();
  return { hparams: { lr, opt, width, seed }, scalars: { 'val/accuracy': accuracy, 'val/noise': random() } };
});
/** Each list of runs has a hundred hostile names. */
const attacks: readonly (readonly Logged[])[] = [0, 100, 200].map((from) =>
  Array.from({ length: 14 }, () => ({
    hparams: Object.fromEntries(
      payloads.slice(from, from + 100).map((name, i) => [name, i % 7 === 0 ? payloads[Math.floor(300 * random())]! : random()]),
    ),
    scalars: { [payloads[from]!]: random() },
  })),
);

describeWith(['chromium'], 'the importance of hyperparameters', () => {
  let site: Site;
  let id: string;

  const upload = async (name: string, runs: readonly Logged[]): Promise<string> => {
    for (const [i, { hparams, scalars }] of runs.entries()) {
      const at = 1_795_000_000 + i;
      const values = Object.entries(scalars).map(([tag, value]) => scalarValue(tag, value));
      const records = [versionRecord(at), eventRecord(at, 0, [sessionStartValue(hparams, at)]), eventRecord(at + 1, 1, values)];
      const folder = join(site.folder(name), `run-${String(i).padStart(2, '0')}`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'events.out.tfevents.1.host'), Buffer.concat(records));
    }
    return (await site.upload(site.folder(name), '--name', name)).experiment_id;
  };

  beforeAll(async () => {
    site = await Site.start();
    id = await upload('sweep', sweep);
  });
  afterAll(() => site?.close());

  /**
   * Returns the rows: name, score, its interval, correlation; and whether the score is within the
   * range of chance.
   */
  const rows = ({ page }: Visit) =>
    page.evaluate<
      { name: string; score: number; correlation: string; byChance: boolean }[]
    >(`[...document.querySelectorAll('.importance-rows tbody tr')].map((row) => ({
      name: row.querySelector('th').textContent,
      score: parseFloat(row.querySelector('.number').textContent.replace('−', '-')),
      correlation: row.querySelectorAll('.number')[1].textContent.replace('−', '-'),
      byChance: row.classList.contains('chance') }))`);
  const isDone = ({ page }: Visit) => page.locator('.importance[aria-busy=false]').waitFor();

  it('rates what the metric was made of, with intervals and directions, and follows filters', async () => {
    const visit = await site.visit({ width: 1400, height: 1000 });
    const { page } = visit;
    await visit.open(`/e/${id}?tab=runs`);
    await page.getByRole('button', { name: 'Plot', exact: true }).click();
    await page.getByLabel('Plot type').selectOption('importance');
    await page.waitForURL(/importance=m%3Aval%2Faccuracy/);
    await isDone(visit);
    const found = await rows(visit);
    expect(found.map(({ name }) => name).slice(0, 2)).toEqual(['lr', 'opt']);
    expect(Object.fromEntries(found.map(({ name, byChance }) => [name, byChance]))).toEqual({
      lr: false,
      opt: false,
      seed: true,
      width: true,
    });
    expect(found[0]!.score).toBeGreaterThan(0.3);
    expect(Math.abs(found.find(({ name }) => name === 'seed')!.score)).toBeLessThan(0.1);
    expect(found.find(({ name }) => name === 'opt')!.correlation).toBe('–');
    expect(found[0]!.correlation).toMatch(/^[+-]?0\.\d\d$/);
    expect(await page.locator('.importance-rows .of-forest rect').count()).toBe(4);
    await page.getByText(/The forest explains \d+ % of the out-of-bag variance of val\/accuracy/).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    // The same runs give the same numbers.
    await page.reload();
    await isDone(visit);
    expect(await rows(visit)).toEqual(found);
    await page.getByLabel('Metric that the hyperparameters affect').selectOption('val/noise');
    await page.getByText('these bars are not reliable').waitFor();
    await page.goto(`/e/${id}?tab=runs&importance=m:val/accuracy&where=h%253Aopt%20adam`);
    await page.getByText(`${sweep.filter(({ hparams }) => hparams['opt'] === 'adam').length} runs. Importance`).waitFor();
    expect((await rows(visit)).map(({ name }) => name)).not.toContain('opt'); // It does not differ anymore
    await page.goto(`/e/${id}?tab=runs&importance=m:val/accuracy&runFilter=run-0`);
    await page.getByText('Importance needs at least 12 runs with a number for val/accuracy; 10 have one.').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('leads to a plot of a hyperparameter, and to the other kinds and back', async () => {
    const visit = await site.visit({ width: 1400, height: 1000 });
    const { page } = visit;
    await visit.open(`/e/${id}?tab=runs&importance=m:val/noise`);
    await isDone(visit);
    await page.getByLabel('Plot type').selectOption('scatter');
    await page.waitForURL(/plotY=m%3Aval%2Fnoise/);
    await page.getByLabel('Plot type').selectOption('importance');
    await page.waitForURL(/importance=m%3Aval%2Fnoise/);
    await page.locator('.importance-rows').getByRole('button', { name: 'width', exact: true }).click();
    await page.waitForURL(/plotX=h%3Awidth&plotY=m%3Aval%2Fnoise/);
    await page.locator('.scatter-plot canvas').waitFor();
    await page.getByLabel('Plot type').selectOption('parallel');
    await page.getByLabel('Plot type').selectOption('importance');
    await isDone(visit);
    await page.getByRole('button', { name: 'Close the plot' }).click();
    await page.locator('.importance').waitFor({ state: 'detached' });
    expect(visit.faults).toEqual([]);
  });

  it('fits a phone, and shows any names as text', async () => {
    for (const [i, attack] of attacks.entries()) {
      const hostile = await upload(`hostile${i}`, attack);
      const visit = await site.visit({ width: 390, height: 844, dark: i === 1 });
      const { page } = visit;
      const metric = Object.keys(attack[0]!.scalars)[0]!;
      await visit.open(`/e/${hostile}?tab=runs&importance=${encodeURIComponent(`m:${metric}`)}`);
      await isDone(visit);
      await page.getByRole('button', { name: 'Show all 100' }).click();
      expect((await rows(visit)).length).toBe(100);
      const box = (await page.locator('.importance-rows').boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(390);
      const overflow = await page.locator('.importance-rows').evaluate((one) => one.scrollWidth - one.clientWidth);
      expect(overflow).toBe(0);
      expect(await violations(visit)).toEqual([]);
      expect(visit.faults).toEqual([]);
    }
  });
});
