import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { textEvent, writeRun } from './logs.ts';
import { violations } from './violations.ts';

const attack = '<img src=x onerror=alert(1)>';
const layers = Array.from({ length: 16 }, (_, i) => `layers/${i}`);
const blocks = [...layers, `layers/${attack}`];
const tags = [
  ...blocks.flatMap((layer) => ['attn/q', 'attn/k', 'norm', 'bias'].map((name) => `${layer}/${name}`)),
  'layers/mean',
  'val/loss',
];

describeWith(['chromium'], 'the outline of many tags', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    const values = Object.fromEntries(tags.map((tag, i) => [tag, i]));
    await writeRun(site.folder('log'), 'run', [
      ...[0, 1, 2].map((step) => ({ step, wallTime: 1_795_000_000 + step, scalars: values })),
      { ...textEvent(3, Object.fromEntries(tags.map((tag) => [`notes/${tag}`, `about **${tag}**`]))), wallTime: 1_795_000_004 },
    ]);
    id = (await site.upload(site.folder('log'), '--name', 'outline')).experiment_id;
  });
  afterAll(() => site?.close());

  const open = async (query: string, options = {}): Promise<Visit> => {
    const visit = await site.visit({ width: 1600, height: 1000, ...options });
    await visit.open(`/e/${id}?${query}`);
    return visit;
  };
  const heads = ({ page }: Visit) => page.locator('.group-head button').evaluateAll((list) => list.map((one) => one.textContent));
  const head = ({ page }: Visit, name: string) => page.locator('.group-head button', { has: page.getByText(name, { exact: true }) });
  const parameters = ({ page }: Visit, name: string) => new URL(page.url()).searchParams.getAll(name);

  it('is a tree of sections that fold, with all of it in the address', async () => {
    const visit = await open('fold=/all', { height: 1400 });
    const { page } = visit;
    await expect.poll(() => heads(visit)).toEqual(['val 1', 'layers 69']);
    await head(visit, 'layers').click();
    await expect.poll(() => parameters(visit, 'unfold')).toEqual(['layers']);
    expect(await heads(visit)).toEqual(['val 1', 'layers 69', `layers/${attack} 4`, ...layers.map((layer) => `${layer} 4`)]);
    await expect
      .poll(() => page.locator('main article').evaluateAll((list) => list.map((one) => one.getAttribute('aria-label'))))
      .toEqual(['layers/mean']);

    const third = page.locator('.group-head.inside-1 button').filter({ hasText: 'layers/3' });
    await third.click();
    await expect.poll(() => parameters(visit, 'unfold')).toEqual(['layers', 'layers/3']);
    await visit.card('layers/3/norm').waitFor();
    await page.reload();
    await visit.card('layers/3/norm').waitFor();
    await third.click();
    await expect.poll(() => parameters(visit, 'unfold')).toEqual(['layers']);
    await visit.card('layers/3/norm').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Fold all' }).click();
    await expect.poll(() => heads(visit)).toEqual(['val 1', 'layers 69']);
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await expect.poll(() => parameters(visit, 'unfold')).toEqual(['/all']);
    await visit.card(`layers/${attack}/norm`).waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('keeps the head of the innermost section in view', async () => {
    const visit = await open('', { height: 600 });
    const { page } = visit;
    const main = page.locator('main.cards');
    const stuck = page.locator('.placed.stuck .group-head');
    const at = async (name: string): Promise<void> => {
      await expect
        .poll(async () => {
          if ((await stuck.count()) > 0 && (await stuck.innerText()).replaceAll(/\s+/g, ' ').startsWith(name)) return true;
          await main.evaluate((element) => element.scrollBy(0, 120));
          return false;
        })
        .toBe(true);
      expect(Math.abs((await stuck.boundingBox())!.y - (await main.boundingBox())!.y)).toBeLessThan(1);
    };
    await at('layers/0 ');
    await at('layers/2 ');
    expect(visit.faults).toEqual([]);
  });

  it('divides other kinds of data, too', async () => {
    const visit = await open('tab=text');
    const { page } = visit;
    await expect.poll(async () => (await heads(visit)).slice(0, 3)).toEqual(['notes 70', `notes/layers 69`, `notes/layers/${attack} 4`]);
    await page.getByRole('button', { name: 'Fold all' }).click();
    await expect.poll(() => heads(visit)).toEqual(['notes 70']);
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await expect.poll(async () => (await heads(visit)).length).toBeGreaterThan(2);
    await page.getByRole('button', { name: 'Fold all', exact: true }).click();
    await expect.poll(() => heads(visit)).toEqual(['notes 70']);
    await head(visit, 'notes').click();
    await expect.poll(() => heads(visit)).toEqual(['notes 70', 'notes/layers 69']);
    await page.waitForURL(/unfold=notes/);
    expect(visit.faults).toEqual([]);
  });

  const forms = { light: {}, dark: { dark: true }, phone: { width: 390, height: 844 } };

  it.each(Object.keys(forms) as (keyof typeof forms)[])('is accessible: %s', { timeout: 120_000 }, async (form) => {
    for (const query of ['fold=/all&unfold=layers', '', 'tab=text&fold=/all&unfold=notes&unfold=notes/layers']) {
      const visit = await open(query, forms[form]);
      await expect.poll(async () => (await heads(visit)).some((text) => text.includes(attack))).toBe(true);
      expect(await violations(visit), query).toEqual([]);
      expect(visit.faults).toEqual([]);
      await visit.page.context().close();
    }
  });
});
