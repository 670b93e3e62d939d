import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, stringTensor, tensorValue } from '#testing';
import { grayPng } from '../../apps/standalone/src/demo/png.ts';
import { Site, type Visit } from './browser.ts';
import { textValue, writeRun } from './logs.ts';
import { violations } from './violations.ts';

const side = 16;
const steps = [0, 100, 200, 300, 400];

/** All pixels except the first have the same gray. */
function picture(gray: number, size = side): Buffer {
  const pixels = new Uint8Array(size * size).fill(gray);
  pixels[0] = 0;
  return grayPng(size, pixels);
}

/** Images as TF2's writers log them, with width and height as strings before the image. */
function imagesValue(tag: string, pictures: readonly Buffer[]): Uint8Array {
  return tensorValue(tag, 'images', 'blob_sequence', stringTensor([String(side), String(side), ...pictures]));
}

const grayOf = (run: number, step: number): number => 60 + 30 * run + step / 100;
const attack = '<img src=x onerror=alert(1)>';

/** Returns the configuration that a run logged at a step. */
function config(run: string, step: number): string {
  const rest = Array.from({ length: 12 }, (_, i) => `option ${i}: ${i}`);
  return [`run: ${run}`, `warmup: ${step}`, ...rest, ...(step >= 400 ? ['ema: true'] : [])].join('\n');
}

describeWith(['chromium'], 'media side by side', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    const logdir = site.folder('log');
    for (const [i, run] of ['a', 'b', 'c', attack].entries())
      await writeRun(
        logdir,
        run,
        steps
          .filter((step) => !(run === 'b' && step === 300))
          .map((step) => ({
            step,
            wallTime: 1_795_000_000 + 1_000 * i + step,
            values: [
              imagesValue('val/one', [picture(grayOf(i, step), run === 'c' ? 8 : side)]),
              textValue('config/all', config(run, step)),
              ...(run === 'a'
                ? [
                    imagesValue(
                      `val/${attack}`,
                      [20, 120, 220].map((gray) => picture(gray)),
                    ),
                  ]
                : []),
            ],
          })),
      );
    id = (await site.upload(logdir, '--name', 'images')).experiment_id;
  });
  afterAll(() => site?.close());

  const open = async (query: string, options = {}): Promise<Visit> => {
    const visit = await site.visit({ width: 1400, height: 900, ...options });
    await visit.open(`/e/${id}?${query.includes('tab=') ? '' : 'tab=images'}${query}`);
    return visit;
  };
  const parametersOf = ({ page }: Visit) => new URL(page.url()).searchParams;
  const parameter = async (visit: Visit, name: string, value: string | null) => {
    await expect.poll(() => parametersOf(visit).get(name)).toBe(value);
  };
  const one = '&tagFilter=one$';

  it('shows a grid of runs and steps with one step control, aligned by step', async () => {
    const visit = await open(one);
    const { page } = visit;
    await page.getByRole('radio', { name: 'Run × step' }).check();
    await page.waitForURL(/images=grid/);
    const rows = page.locator('.image-grid tbody tr');
    await expect.poll(() => rows.count()).toBe(4);
    expect(await page.locator('.image-grid thead th').allInnerTexts()).toEqual(['Run', ...steps.map((step) => `step ${step}`)]);
    // A run without an image at a step has a gap there, so later images keep their columns.
    expect(await rows.nth(1).locator('td').nth(3).innerText()).toContain('No image');
    const lefts = () =>
      rows.evaluateAll((list) =>
        list.map((row) => [...row.querySelectorAll('td')].map((cell) => Math.round(cell.getBoundingClientRect().left))),
      );
    expect(new Set((await lefts()).map(String)).size).toBe(1);
    await expect
      .poll(() => page.locator('.image-grid img').evaluateAll((list) => list.every((image) => image.naturalWidth > 0)))
      .toBe(true);

    const marked = () => page.locator('.image-grid thead [aria-current=step]').innerText();
    expect(await marked()).toBe('step 400');
    await page.getByLabel('Step of val/one').fill('1');
    await page.waitForURL(/step=100/);
    expect(await marked()).toBe('step 100');
    await page.getByRole('button', { name: 'step 200', exact: true }).click();
    await page.waitForURL(/step=200/);

    const width = () =>
      page
        .locator('.image-grid .picture')
        .first()
        .evaluate((box) => box.getBoundingClientRect().width);
    await page.getByLabel('Image size').fill('96');
    await page.waitForURL(/imageSize=96/);
    await expect.poll(width).toBe(96);
    await page.reload();
    await expect.poll(width).toBe(96);
    expect(await marked()).toBe('step 200');
    expect(visit.faults).toEqual([]);
  });

  it('goes through steps and runs in full screen, by keys and by address', async () => {
    const visit = await open(`${one}&images=grid`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Enlarge a, step 200' }).click();
    await parameter(visit, 'image', '["val/one","a"]');
    await parameter(visit, 'step', '200');
    const dialog = page.getByRole('dialog', { name: 'val/one' });
    await dialog.waitFor();
    const seen = () => dialog.locator('figure .run-caption').innerText();
    await page.keyboard.press('ArrowDown');
    await parameter(visit, 'image', '["val/one","b"]');
    await expect.poll(seen).toMatch(/^b\s+step 200$/);
    await page.keyboard.press('ArrowRight');
    await parameter(visit, 'step', null); // its next one is the last
    await expect.poll(seen).toMatch(/^b\s+step 400$/);
    await page.keyboard.press('ArrowLeft');
    await parameter(visit, 'step', '200');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp'); // there is none before it
    await parameter(visit, 'image', '["val/one","a"]');
    await dialog.getByLabel('Run', { exact: true }).selectOption('c');
    await expect.poll(seen).toMatch(/^c\s+step 200$/);
    await parameter(visit, 'image', '["val/one","c"]');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.waitForURL((url) => !url.searchParams.has('image'));
    await page.goBack();
    await dialog.waitFor();
    await expect.poll(seen).toMatch(/^c\s+step 200$/);
    expect(visit.faults).toEqual([]);
  });

  /** Returns the pixels of the difference image. */
  const drawn = ({ page }: Visit) =>
    page.evaluate(`(() => {
      const canvas = document.querySelector('dialog canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return { first: [...data.slice(0, 3)], second: [...data.slice(4, 7)], pixels: data.length / 4 };
    })()`);

  it('compares two images: beside each other, in turn, and by pixel', async () => {
    const visit = await open(`&image=${encodeURIComponent('["val/one","a"]')}`);
    const { page } = visit;
    const dialog = page.getByRole('dialog', { name: 'val/one' });
    await dialog.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'b' });
    await parameter(visit, 'imageWith', '["b"]');
    await expect.poll(() => dialog.locator('figure').count()).toBe(2);
    await dialog.getByRole('radio', { name: 'Difference' }).check();
    await parameter(visit, 'imageComparison', 'difference');
    // 30 more in all pixels except the first.
    const status = dialog.locator('p[role=status]');
    await expect
      .poll(() => status.innerText())
      .toBe('255 of 256 pixels differ. Mean difference 29.9 of 255, largest 30. Shown at 8.5× brightness.');
    expect(await drawn(visit)).toEqual({ first: [0, 0, 0], second: [255, 255, 255], pixels: 256 });

    // A fixed step of the other run: 30 more, and 4 steps less.
    await dialog.getByLabel('Step of the other image').selectOption('0');
    await parameter(visit, 'imageWith', '["b",0]');
    await expect.poll(() => status.innerText()).toMatch(/largest 26\./);
    // The same run at its first step.
    await dialog.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'a (this run)' });
    await parameter(visit, 'imageWith', '["a",0]');
    await expect.poll(() => status.innerText()).toMatch(/largest 4\./);
    await dialog.getByLabel('Step of the other image').selectOption('the same step');
    await expect.poll(() => status.innerText()).toBe('The images are identical.');
    await dialog.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'c' });
    await expect.poll(() => status.innerText()).toBe('The images have different sizes: 16 × 16 and 8 × 8 pixels.');

    await dialog.getByRole('radio', { name: 'Flicker' }).check();
    await parameter(visit, 'imageComparison', 'flicker');
    const visible = () => dialog.locator('.layer:not(.off) img').getAttribute('alt');
    const [first] = [await visible()];
    await expect.poll(visible).not.toBe(first);
    await dialog.getByRole('button', { name: 'Pause' }).click();
    const still = await visible();
    await dialog.getByRole('button', { name: 'Show other image' }).click();
    await expect.poll(visible).not.toBe(still);
    await page.reload();
    await expect.poll(() => dialog.locator('.layer').count()).toBe(2);
    await dialog.getByRole('combobox', { name: 'Compare with' }).selectOption('nothing');
    await parameter(visit, 'imageWith', null);
    expect(visit.faults).toEqual([]);
  });

  it('does not flicker by itself for readers who prefer less motion', async () => {
    const visit = await site.visit({ width: 1400, height: 900 });
    await visit.page.emulateMedia({ reducedMotion: 'reduce' });
    const query = new URLSearchParams({ tab: 'images', image: '["val/one","a"]', imageWith: '["b"]', imageComparison: 'flicker' });
    await visit.open(`/e/${id}?${query.toString()}`);
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Resume' }).waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('says what an address names and the experiment does not have', async () => {
    const visit = await open(`&image=${encodeURIComponent('["val/one","gone"]')}&imageWith=${encodeURIComponent('["gone too"]')}`);
    const dialog = visit.page.getByRole('dialog', { name: 'val/one' });
    await dialog.getByText('This run is not selected or has no image.').waitFor();
    await dialog.getByText('No image to compare with').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(visit.faults).toEqual([]);
  });

  it('shows what changed in texts: since a step, and from another run', async () => {
    const visit = await open('&tab=text');
    const { page } = visit;
    const text = page.locator('.logged-text', { has: page.locator('[title="a"]') });
    const lines = () =>
      text
        .locator('.diff-line, .gap')
        .allInnerTexts()
        .then((all) => all.map((line) => line.replace(/\s+/, ' ').trim()));
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('previous step');
    await page.waitForURL(/textDiff=previous/);
    await expect
      .poll(lines)
      .toEqual([
        'run: a',
        '− warmup: 300',
        '+ warmup: 400',
        'option 0: 0',
        'option 1: 1',
        'option 2: 2',
        'Show 6 unchanged lines',
        'option 9: 9',
        'option 10: 10',
        'option 11: 11',
        '+ ema: true',
      ]);
    expect(await text.locator('mark').allInnerTexts()).toEqual(['300', '400']);
    expect(await text.innerText()).toContain('2 lines added, 1 line removed');
    expect(await text.locator('.compared-with').innerText()).toBe('compared with step 300');
    await text.getByRole('button', { name: 'Show 6 unchanged lines' }).click();
    await expect.poll(async () => (await lines()).length).toBe(16);

    await page.getByLabel('Step of config/all').fill('1');
    await page.waitForURL(/step=100/);
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('step 100');
    await page.waitForURL(/textDiff=step%3A100/);
    await page.getByLabel('Step of config/all').fill('2');
    await expect.poll(lines).toContain('− warmup: 100');
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('b');
    await page.waitForURL(/textDiff=run%3Ab/);
    await expect.poll(lines).toContain('− run: b');
    expect(await text.locator('.compared-with').innerText()).toBe('compared with b, step 200');
    // The text itself, as Markdown.
    const own = page.locator('.logged-text', { has: page.locator('[title="b"]') });
    await own.locator('.markdown').waitFor();
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('first step');
    await page.getByLabel('Step of config/all').fill('0');
    await page.waitForURL(/step=0/);
    await expect.poll(() => page.locator('.text-diff').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('previous step');
    await expect.poll(() => page.getByText('no text to compare with').count()).toBe(4);
    expect(visit.faults).toEqual([]);
  });

  const forms = { light: {}, dark: { dark: true }, phone: { width: 390, height: 844 } };

  it.each(Object.keys(forms) as (keyof typeof forms)[])('is accessible, with any names: %s', { timeout: 120_000 }, async (form) => {
    const hostile = new URLSearchParams({ image: JSON.stringify([`val/${attack}`, 'a', 1]) }).toString();
    const compared = new URLSearchParams({ image: '["val/one","a"]', imageWith: JSON.stringify([attack]), imageComparison: 'difference' });
    for (const query of [
      '',
      '&images=grid',
      `&${hostile}`,
      `&${compared.toString()}`,
      `&${compared.toString().replace('difference', 'flicker')}`,
      '&tab=text&textDiff=previous',
    ]) {
      const visit = await open(query, forms[form]);
      await visit.page.locator('dialog :is(img, canvas), main :is(img, ins)').first().waitFor();
      expect(await violations(visit), query).toEqual([]);
      if (form === 'phone')
        expect(
          await visit.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        ).toBeLessThanOrEqual(0);
      expect(visit.faults).toEqual([]);
      await visit.page.context().close();
    }
  });
});
