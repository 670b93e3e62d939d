import { visibleText } from '#charts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytesField, describeWith, joinBytes, numberTensor, stringField, tensorValue } from '#testing';
import { Site } from './browser.ts';
import { writeRun } from './logs.ts';
import { violations } from './violations.ts';

const attack = '"><img src=x onerror=alert(1)>\u202e';
const rows = 40;
const columns = 6;

/** Two orthogonal directions of length 1. */
const [u, v] = [
  [0.5, 0.5, 0.5, 0.5, 0, 0],
  [0, 0, 0, 0, 0.6, 0.8],
];

/**
 * Coordinates of a row along these directions at a step. Their means and their covariance are 0.
 */
const along = (row: number, step: number): readonly [number, number] => [
  (row - (rows - 1) / 2) * (1 + step),
  (Math.abs(row - (rows - 1) / 2) - rows / 4) / 20,
];

/** The rows lie in a plane, so their principal components are its directions. */
function matrixAt(step: number): Float64Array {
  return Float64Array.from({ length: rows * columns }, (_, i) => {
    const [a, b] = along(Math.floor(i / columns), step);
    return 10 + a * u[i % columns]! + b * v[i % columns]!;
  });
}

/**
 * Returns a tensor as written by PyTorch's `SummaryWriter.add_tensor`: with a plugin, but without a
 * data class.
 */
function unlisted(tag: string, plugin: string | null, tensor: Uint8Array): Uint8Array {
  const metadata = plugin === null ? new Uint8Array() : bytesField(9, bytesField(1, stringField(1, plugin)));
  return joinBytes(stringField(1, tag), bytesField(8, tensor), metadata);
}

describeWith(['chromium'], 'matrices as points', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    const steps = [0, 1, 2, 3];
    await writeRun(
      site.folder('log'),
      'run',
      steps.map((step) => ({
        step,
        wallTime: 1_795_255_000 + step,
        scalars: { loss: 1 / (step + 1) },
        values: [
          unlisted('embedding/words', 'tensor', numberTensor([rows, columns], matrixAt(step))),
          unlisted('plain', null, numberTensor([3, 2], Float64Array.of(1, 2, 3, 4, 5, 7))),
          unlisted('vector', 'tensor', numberTensor([3], Float64Array.of(1, 2, 3))),
          tensorValue(attack, 'mine', 'tensor', numberTensor([3, 2], Float64Array.of(1, 2, Number.NaN, 4, 5, 7))),
        ],
      })),
    );
    await writeRun(site.folder('log'), attack, [
      { step: 0, values: [unlisted('embedding/words', 'tensor', numberTensor([rows, columns], matrixAt(0)))] },
    ]);
    id = (await site.upload(site.folder('log'), '--name', 'tensors')).experiment_id;
  });
  afterAll(() => site?.close());

  it('shows rows in the plane of their principal components, with one step control', async () => {
    const visit = await site.visit({ width: 1600, height: 1_000 });
    const { page } = visit;
    await visit.open(`/e/${id}`);
    await page.getByRole('link', { name: 'Other', exact: true }).click();
    await page.getByRole('button', { name: 'Show as points: embedding/words' }).click();
    await page.waitForURL(/open=embedding%2Fwords/);
    const card = page.getByRole('article', { name: 'embedding/words, run' });
    await card.locator('canvas').waitFor();
    await card.getByText(`float64 ${rows} × ${columns}`).waitFor();
    const reading = card.locator('.scatter-reading');
    const numbersOf = async () =>
      (await reading.innerText()).split('\n').map((line) => Number(line.replace(/^.*[ :]/, '').replace('−', '-')));
    for (const step of [3, 1]) {
      if (step !== 3) await card.getByLabel('Step of embedding/words').fill(String(step));
      await card.getByText(`step ${step}`, { exact: true }).waitFor();
      // All of the variance, because the rows lie in a plane.
      const squares = [0, 1].map((axis) => Array.from({ length: rows }, (_, row) => along(row, step)[axis]! ** 2).reduce((a, b) => a + b));
      const share = squares.map((one) => ((100 * one) / (squares[0]! + squares[1]!)).toFixed(1));
      await card.getByText(`component 1 (${share[0]} % of the variance) →`).waitFor();
      await card.getByText(`component 2 (${share[1]} %) ↑`).waitFor();
      await card.locator('.row-points').focus();
      await page.keyboard.press('Home');
      for (let row = 0; row < rows; row++) {
        await expect.poll(() => reading.innerText()).toContain(`row ${row}\n`);
        const [, x, y] = await numbersOf();
        expect(x).toBeCloseTo(along(row, step)[0], 4);
        expect(y).toBeCloseTo(along(row, step)[1], 4);
        await page.keyboard.press('ArrowRight');
      }
    }
    await page.waitForURL(/step=1/);
    // The pointer reads the drawn points: the first row is the leftmost point.
    const box = (await card.locator('.row-points').boundingBox())!;
    const first = await card.locator('canvas').evaluate((canvas) => {
      const { data, width, height } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      for (let x = 0; x < width; x++) for (let y = 0; y < height; y++) if (data[4 * (y * width + x) + 3]! > 100) return [x, y] as const;
      return null;
    });
    await page.mouse.move(box.x + first![0] + 3, box.y + first![1]);
    await expect.poll(() => reading.innerText()).toContain('row 0\n');
    await page.reload();
    await card.getByText('step 1', { exact: true }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(visit)).toEqual([]);
    }
    expect(visit.faults).toEqual([]);
  });

  it('says what cannot be drawn, and is safe whatever the names are', async () => {
    for (const width of [1400, 390]) {
      const visit = await site.visit({ width, height: 900 });
      const { page } = visit;
      await visit.open(`/e/${id}?tab=other&open=vector&open=plain&open=${encodeURIComponent(attack)}&open=embedding/words`);
      // Matrices are drawn when they come near the view.
      const scrollTo = (name: string) => page.getByRole('button', { name: `Hide points: ${name}` }).scrollIntoViewIfNeeded();
      await page.getByRole('article', { name: 'plain, run' }).locator('canvas').waitFor();
      await scrollTo(visibleText(attack));
      await page.getByText('1 row with non-finite values is omitted.').waitFor();
      await scrollTo('embedding/words');
      await page
        .getByRole('article', { name: /^embedding/ })
        .first()
        .locator('canvas')
        .waitFor();
      await scrollTo('vector');
      await page.getByText('Only matrices are drawn.').waitFor();
      const box = (await page.locator('.row-points').first().boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(await violations(visit)).toEqual([]);
      expect(visit.faults).toEqual([]);
    }
  });
});
