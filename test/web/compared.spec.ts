import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, numberTensor, stringTensor, tensorValue } from '#testing';
import { grayPng } from '../../apps/standalone/src/demo/png.ts';
import { Site, type Visit } from './browser.ts';
import { textValue, writeRun } from './logs.ts';
import { violations } from './violations.ts';

const side = 16;
const square = (half: number) => [-half, -half, 0, half, -half, 0, half, half, 0, -half, half, 0];
const meshValue = (name: string, part: 'VERTEX' | 'FACE', numbers: readonly number[]) =>
  tensorValue(`${name}_${part}`, 'mesh', 'tensor', numberTensor([1, numbers.length / 3, 3], Float64Array.from(numbers)));

/**
 * Writes a run with an image in one shade of gray, a text and two meshes, one of them under the tag
 * `ownMesh`.
 */
async function writeData(logdir: string, run: string, gray: number, ownMesh: string): Promise<void> {
  await writeRun(
    logdir,
    run,
    [0, 100].map((step) => ({
      step,
      wallTime: 1_795_000_000 + step,
      values: [
        tensorValue(
          'val/one',
          'images',
          'blob_sequence',
          stringTensor([String(side), String(side), grayPng(side, new Uint8Array(side * side).fill(gray + step / 100))]),
        ),
        textValue('config/all', `gray: ${gray}\nstep: ${step}`),
        meshValue('shape/square', 'VERTEX', square(gray)),
        meshValue('shape/square', 'FACE', [0, 1, 2, 0, 2, 3]),
        meshValue(ownMesh, 'VERTEX', square(gray)),
      ],
    })),
  );
}

describeWith(['chromium'], 'data of compared experiments', () => {
  let site: Site;
  let id: string;
  let otherId: string;

  beforeAll(async () => {
    site = await Site.start();
    await writeData(site.folder('own'), 'a', 60, 'shape/ours');
    await writeData(site.folder('other'), 'a', 90, 'shape/theirs');
    await writeData(site.folder('other'), 'their own', 120, 'shape/theirs');
    id = (await site.upload(site.folder('own'), '--name', 'own')).experiment_id;
    otherId = (await site.upload(site.folder('other'), '--name', 'other team')).experiment_id;
  });
  afterAll(() => site?.close());

  const open = async (query: Record<string, string>, options = {}): Promise<Visit> => {
    const visit = await site.visit({ width: 1400, height: 900, ...options });
    await visit.open(`/e/${id}?${new URLSearchParams({ compare: otherId, ...query }).toString()}`);
    return visit;
  };
  const parameter = async ({ page }: Visit, name: string, value: string | null) => {
    await expect.poll(() => new URL(page.url()).searchParams.get(name)).toBe(value);
  };

  it('are images beside its own, compared by pixel, under an address that stays the same', { timeout: 60_000 }, async () => {
    const visit = await open({ tab: 'images', image: '["val/one","a"]' });
    const { page } = visit;
    const dialog = page.getByRole('dialog', { name: 'val/one' });
    await dialog.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'other team: a' });
    await parameter(visit, 'imageWith', JSON.stringify([`${otherId}//a`]));
    await dialog.getByRole('radio', { name: 'Difference' }).check();
    const status = dialog.locator('p[role=status]');
    await expect.poll(() => status.innerText()).toMatch(/^256 of 256 pixels differ\..* largest 30\./);
    await dialog.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'other team: their own' });
    await expect.poll(() => status.innerText()).toMatch(/largest 60\./);
    await parameter(visit, 'imageWith', JSON.stringify([`${otherId}//their own`]));
    await page.reload();
    await expect.poll(() => status.innerText()).toMatch(/largest 60\./);
    await dialog.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Enlarge other team: their own, step 100' }).click();
    await parameter(visit, 'image', JSON.stringify(['val/one', `${otherId}//their own`]));
    await expect
      .poll(() =>
        dialog
          .locator('img')
          .first()
          .evaluate((img: { naturalWidth: number }) => img.naturalWidth),
      )
      .toBe(side);
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('are texts that its own are compared with', async () => {
    const visit = await open({ tab: 'text' });
    const { page } = visit;
    const own = page.locator('.logged-text', { has: page.locator('[title="a"]') });
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('other team: their own');
    await parameter(visit, 'textDiff', `run:${otherId}//their own`);
    for (const _ of ['chosen', 'opened']) {
      await expect.poll(() => own.locator('.compared-with').innerText()).toBe('compared with other team: their own, step 100');
      await expect.poll(() => own.locator('mark').allInnerTexts()).toEqual(['120', '60']);
      await page.reload();
    }
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it.each(['light', 'dark', 'phone'])('are meshes, of tags of either experiment: %s', async (form) => {
    const options = { light: {}, dark: { dark: true }, phone: { width: 390, height: 844 } }[form];
    const visit = await open({ tab: 'meshes', runFilter: 'a$|own' }, options);
    const { page } = visit;
    const regions = async (mesh: string) => {
      const article = page.getByRole('article', { name: mesh });
      // Cards below the window are created when they come near the window.
      await article.locator('.meshes > :last-child').scrollIntoViewIfNeeded();
      return article.getByRole('region').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    };
    const names = (mesh: string, ...runs: string[]) => runs.map((run) => `${mesh}, ${run}`);
    await expect.poll(() => regions('shape/ours')).toEqual(names('shape/ours', 'a'));
    await expect.poll(() => regions('shape/square')).toEqual(names('shape/square', 'a', 'other team: a', 'other team: their own'));
    await expect.poll(() => regions('shape/theirs')).toEqual(names('shape/theirs', 'other team: a', 'other team: their own'));
    for (const run of ['a', 'other team: a', 'other team: their own']) {
      const card = page.getByRole('region', { name: `shape/square, ${run}`, exact: true });
      await card.scrollIntoViewIfNeeded();
      await card.getByText('4 vertices, 2 faces').waitFor();
      await expect
        .poll(() =>
          card.locator('canvas').evaluate((canvas) => {
            const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
            return data.some((part: number) => part > 0);
          }),
        )
        .toBe(true);
    }
    expect(await violations(visit)).toEqual([]);
    expect(visit.faults.filter((fault) => !/GPU stall due to ReadPixels|Multiple readback operations/.test(fault))).toEqual([]);
  });

  it('are not shown to visitors of a share link, not even their names', { timeout: 60_000 }, async () => {
    const link = await site.service.json<{ url: string }>(`/experiments/${id}/share-links`, {});
    const guest = await site.visit({ stranger: true });
    await guest.open(link.url);
    const texts: Promise<string>[] = [];
    guest.page.on('response', (response) => {
      // A response that never ends.
      if (!response.url().includes('/events')) texts.push(response.text().catch(() => ''));
    });
    for (const tab of ['images', 'text', 'meshes']) {
      await guest.open(`/e/${id}?${new URLSearchParams({ tab, compare: otherId }).toString()}`);
      await guest.page.locator('main .run-caption').first().waitFor();
      await guest.settled();
      expect(await guest.page.locator('main .run-caption .run-name[title*=": "]').count()).toBe(0);
      for (const text of [await guest.page.content(), ...(await Promise.all(texts))])
        expect([tab, /other team|their own|shape\/theirs/.exec(text)?.[0]]).toEqual([tab, undefined]);
    }
  });
});
