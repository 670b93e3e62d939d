import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, type EventSpec, writeEventFile } from '#testing';
import { textEvent } from './logs.ts';
import { Site, type Visit } from './browser.ts';

const start = 1_795_255_000;

describeWith(['chromium'], 'numbers that are hard to draw', () => {
  let site: Site;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    site = await Site.start();
    const upload = async (name: string, events: readonly EventSpec[]): Promise<void> => {
      await mkdir(join(site.folder(name), 'run'), { recursive: true });
      await writeFile(join(site.folder(name), 'run', `events.out.tfevents.${start}.host`), writeEventFile(events));
      ids.set(name, (await site.upload(site.folder(name), '--name', name)).experiment_id);
    };
    const numbers = Array.from({ length: 20_000 }, (_, step): EventSpec => {
      const tiny = 2.3e-4 + 1e-9 * step;
      const scalars = { tiny, long: Math.sin(step / 500), allnan: Number.NaN, holes: step % 5000 === 2500 ? Infinity : step / 1000 };
      return { step, wallTime: start + (step < 10_000 ? step : step - 8000), scalars };
    });
    await upload('numbers', numbers);
    await upload(
      'clock',
      Array.from({ length: 20_000 }, (_, step): EventSpec => ({ step, wallTime: start + step, scalars: { long: Math.sin(step / 500) } })),
    );
    const odd = { zero: -0, nan: Number.NaN, infinite: Infinity, least: -Infinity };
    for (const [name, value] of Object.entries(odd))
      await upload(
        name,
        [0, 1, 2].map((step): EventSpec => ({ step, wallTime: name === 'zero' ? -0 : start + step, scalars: { loss: value } })),
      );
    await upload('texts', [textEvent(0, { notes: 'some words' }), textEvent(1, { notes: 'more words' })]);
  });
  afterAll(() => site?.close());

  async function open(name: string, query = ''): Promise<Visit> {
    const visit = await site.visit({ width: 1600, height: 1000 });
    await visit.open(`/e/${ids.get(name)}?${query}`);
    return visit;
  }

  it('the table of a zoomed range counts the steps in view', async () => {
    const visit = await open('numbers', 'card=long&table=true&from=5000&to=10000');
    const cells = visit.page.locator('.range-table tbody td');
    await expect.poll(() => cells.last().innerText()).toBe('5,001');
    expect(visit.faults).toEqual([]);
  });

  it('the table of a zoomed range of times counts the points in view', async () => {
    const visit = await open('clock', 'card=long&table=true&xAxis=relative&from=5000&to=10000');
    const points = visit.page.locator('.range-table tbody td').last();
    await expect.poll(() => points.innerText()).toBe('5,001');
    expect(visit.faults).toEqual([]);
  });

  it('a time axis has every point, even if the clock went back', async () => {
    for (const xAxis of ['relative', 'wall']) {
      const visit = await open('numbers', `tagFilter=long&xAxis=${xAxis}`);
      await visit.card('long').locator('canvas').first().waitFor();
      expect(await visit.card('long').locator('.card-note').innerText()).toContain('20 k points, downsampled');
      expect(visit.faults).toEqual([]);
    }
  });

  it('a tag with only NaN says so', async () => {
    const visit = await open('numbers', 'tagFilter=allnan');
    await expect.poll(() => visit.card('allnan').locator('.chart-message').innerText()).toBe('All values are NaN (20,000 points).');
  });

  it.each(['zero', 'nan', 'infinite', 'least'])('every page is rendered if all values are %s', async (name) => {
    const id = ids.get(name)!;
    const visit = await site.visit();
    for (const path of ['/', `/e/${id}`, `/e/${id}?tab=runs`, `/e/${id}/r/run`, `/e/${id}?embed=true&card=loss`, `/e/${id}?plain`]) {
      const response = await visit.page.goto(path);
      expect([path, response!.status()]).toEqual([path, 200]);
      if (!path.includes('plain')) await visit.settled();
    }
    expect(visit.faults).toEqual([]);
  });

  it('an experiment with only texts opens there, and its title counts them', async () => {
    const visit = await open('texts');
    await visit.page.getByText('more words').waitFor();
    expect(await visit.page.locator('.facts').innerText()).toContain('1 text tag');
    expect(visit.faults).toEqual([]);
  });
});
