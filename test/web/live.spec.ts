import { appendFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, encodeEvent } from '#testing';
import { frameRecords } from '#records/testing';
import { Site, type Visit } from './browser.ts';
import { textEvent, trainingEvents, writeRun } from './logs.ts';

const start = 1_795_255_000;
/** Steps of a run, and steps added later: more than a card draws as single points. */
const [began, more] = [2_000, 1_000];

/** An experiment with one run that can grow. */
interface Growing {
  readonly id: string;
  /**
   * Uploads more of the run, and waits until all of it is visible. `clock` is the wall time of its
   * first point.
   */
  grow(clock?: number): Promise<void>;
}

describeWith(['chromium'], 'an open page while data arrives', () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start();
  });
  afterAll(() => site?.close());

  async function growing(name: string): Promise<Growing> {
    const folder = site.folder(name);
    const training = (steps: number, from: number, clock: number) =>
      trainingEvents({ run: 'run', steps, rate: 1, seed: 3 + from, start: clock }, from);
    const file = await writeRun(folder, 'run', training(began, 0, start));
    const { experiment_id: id } = await site.upload(folder, '--name', name, '--new');
    const grow = async (clock = start): Promise<void> => {
      await appendFile(file, frameRecords(training(more, began, clock).map(encodeEvent)));
      await site.upload(folder);
    };
    return { id, grow };
  }

  const tag = 'train/loss';
  const note = (visit: Visit) => visit.card(tag).locator('.card-note').textContent();
  const [ofBegan, ofAll] = [/^2 k points, downsampled$/, /^3 k points, downsampled$/];

  /** Returns the step read at this fraction of the plot's width; null if there is no line. */
  async function stepAt(visit: Visit, part: number): Promise<number | null> {
    const box = (await visit.card(tag).locator('.u-over').boundingBox())!;
    await visit.page.mouse.move(box.x + 1, box.y + 1);
    await visit.page.mouse.move(box.x + part * box.width, box.y + box.height / 2);
    await visit.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const [text] = await visit.page.locator('.tooltip.on').allInnerTexts();
    return text === undefined ? null : Number(/^step ([\d,]+)/.exec(text)![1]!.replaceAll(',', ''));
  }

  it('follows a growing run, also in a zoomed part, and keeps the zoom', async () => {
    const { id, grow } = await growing('goes on');
    const [whole, past, edge] = [await site.visit(), await site.visit(), await site.visit()];
    await whole.open(`/e/${id}?tagFilter=${tag}`);
    await past.open(`/e/${id}?tagFilter=${tag}&from=500&to=600`);
    await edge.open(`/e/${id}?tagFilter=${tag}&from=1800&to=2800`);
    expect(await note(whole)).toMatch(ofBegan);
    const before = [await stepAt(past, 0.02), await stepAt(past, 0.98)];
    expect(Math.abs(before[0]! - 502)).toBeLessThan(10);
    expect(Math.abs(before[1]! - 598)).toBeLessThan(10);
    expect(await stepAt(edge, 0.95)).toBeNull();
    await grow();
    await expect.poll(() => note(whole)).toMatch(ofAll);
    await expect.poll(() => whole.page.locator('.live.on').count()).toBe(1);
    await expect.poll(() => stepAt(whole, 0.99)).toBeGreaterThan(2_900);
    await expect.poll(() => stepAt(edge, 0.95)).toBeGreaterThan(2_700);
    expect([await stepAt(past, 0.02), await stepAt(past, 0.98)]).toEqual(before);
    expect([...whole.faults, ...past.faults, ...edge.faults]).toEqual([]);
  });

  it('shows points with an older clock than existing ones', async () => {
    const { id, grow } = await growing('older clock');
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=${tag}`);
    expect(await note(visit)).toMatch(ofBegan);
    await grow(start - 1_000_000);
    await expect.poll(() => note(visit)).toMatch(ofAll);
    expect(visit.faults).toEqual([]);
  });

  it('shows the end of a run even if responses with it failed', async () => {
    const { id, grow } = await growing('failing answers');
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=${tag}`);
    expect(await note(visit)).toMatch(ofBegan);
    let failed = 0;
    await visit.page.route('**/scalars/query', (route) => (++failed > 2 ? route.continue() : route.fulfill({ status: 503 })));
    await grow();
    await expect.poll(() => note(visit)).toMatch(ofAll);
    expect(failed).toBeGreaterThan(2);
  });

  it('shows that it is disconnected, and reconnects', async () => {
    const { id, grow } = await growing('lost');
    const visit = await site.visit();
    await visit.page.route('**/events', (route) => route.fulfill({ status: 503 }));
    await visit.open(`/e/${id}?tagFilter=${tag}`);
    await visit.page.getByText('not connected', { exact: true }).waitFor();
    await grow();
    expect(await note(visit)).toMatch(ofBegan);
    await visit.page.unroute('**/events');
    await expect.poll(() => note(visit)).toMatch(ofAll);
    await expect.poll(() => visit.page.getByText('not connected').count()).toBe(0);
  });

  it('updates the number of file problems within a minute of new data, for members who may see files', async () => {
    const { id, grow } = await growing('problems');
    const { url } = await site.service.json<{ url: string }>(`/experiments/${id}/share-links`, { name: 'for guests', anonymous: true });
    const [owner, guest] = [await site.visit(), await site.visit({ stranger: true })];
    for (const visit of [owner, guest]) await visit.page.clock.install();
    await owner.open(`/e/${id}?tagFilter=${tag}`);
    await guest.open(new URL(url).pathname);
    await guest.open(`/e/${id}?tagFilter=${tag}`);
    await grow();
    for (const visit of [owner, guest]) {
      await expect.poll(() => note(visit)).toMatch(ofAll);
      await visit.page.clock.fastForward(61_000);
    }
    const counts = (visit: Visit) => visit.requests.filter((request) => request.includes('/problems?')).length;
    await expect.poll(() => counts(owner)).toBe(1);
    await guest.settled();
    expect(counts(guest)).toBe(0);
    expect([...owner.faults, ...guest.faults]).toEqual([]);
  });

  it('stops polling when it loses access', async () => {
    const { id } = await growing('refused');
    const visit = await site.visit();
    await visit.page.route(/\/(events|frontier)$/, (route) => route.fulfill({ status: 404 }));
    await visit.open(`/e/${id}?tagFilter=${tag}`);
    await visit.page.getByText('access lost').waitFor();
    expect(visit.requests.filter((request) => /\/(events|frontier)$/.test(request))).toHaveLength(2);
  });

  it('requests nothing while it is hidden, then catches up', async () => {
    const { id, grow } = await growing('hidden');
    const [seen, hidden] = [await site.visit(), await site.visit()];
    for (const visit of [seen, hidden]) await visit.open(`/e/${id}?tagFilter=${tag}`);
    await expect.poll(() => hidden.requests.filter((request) => request.endsWith('/events')).length).toBe(1);
    await hidden.hide(true);
    const asked = hidden.requests.length;
    await grow();
    await expect.poll(() => note(seen)).toMatch(ofAll);
    expect(hidden.requests.slice(asked)).toEqual([]);
    expect(await note(hidden)).toMatch(ofBegan);
    await hidden.hide(false);
    await expect.poll(() => note(hidden)).toMatch(ofAll);
    expect([...seen.faults, ...hidden.faults]).toEqual([]);
  });

  it('refreshes charts near the view at once, and others when they come near', async () => {
    const tags = Array.from({ length: 40 }, (_, i) => `note/${String(i).padStart(2, '0')}`);
    const textAt = (step: number): string => `said at ${step}`;
    const event = (step: number) => textEvent(step, Object.fromEntries(tags.map((one) => [one, textAt(step)])));
    const folder = site.folder('texts');
    const file = await writeRun(folder, 'run', [event(1)]);
    const { experiment_id: id } = await site.upload(folder, '--name', 'texts', '--new');
    const visit = await site.visit();
    const asked: string[] = [];
    visit.page.on('request', (request) => {
      if (request.url().endsWith('/tensors/query')) asked.push(...(request.postDataJSON() as { tags: string[] }).tags);
    });
    await visit.open(`/e/${id}?tab=text`);
    const section = (one: string) => visit.page.locator(`article[aria-label="${one}"]`);
    const look = async (i: number, text: string): Promise<void> => {
      await visit.page.locator('main section > div').nth(i).scrollIntoViewIfNeeded();
      await section(tags[i]!).getByText(text).waitFor();
    };
    for (let i = 0; i < tags.length; i += 3) await look(i, textAt(1));
    await look(tags.length - 1, textAt(1));
    await look(0, textAt(1));
    expect(new Set(asked)).toEqual(new Set(tags));
    asked.length = 0;
    await appendFile(file, frameRecords([encodeEvent(event(2))]));
    await site.upload(folder);
    await section(tags[0]!).getByText(textAt(2)).waitFor();
    await visit.settled();
    expect(asked).toContain(tags[0]);
    expect(asked).not.toContain(tags.at(-1));
    expect(asked.length).toBeLessThan(tags.length / 2);
    await look(tags.length - 1, textAt(2));
    expect(visit.faults).toEqual([]);
  });

  it('follows compared experiments', async () => {
    const [own, other] = [await growing('own'), await growing('other')];
    const visit = await site.visit();
    await visit.open(`/e/${own.id}?compare=${other.id}&tagFilter=${tag}`);
    await expect.poll(() => note(visit)).toMatch(/^4 k points, downsampled$/);
    await other.grow();
    await expect.poll(() => note(visit)).toMatch(/^5 k points, downsampled$/);
    expect(visit.faults).toEqual([]);
  });

  it('shows what changed while another tab of the page was open', async () => {
    const { id, grow } = await growing('as it was');
    const visit = await site.visit();
    await visit.open(`/e/${id}?tagFilter=${tag}`);
    await visit.page.locator('header.bar a').first().click();
    await visit.page.getByRole('heading', { level: 1, name: 'Experiments' }).waitFor();
    const changed = await site.service.fetch(`/experiments/${id}`, { method: 'PATCH', body: JSON.stringify({ name: 'as it is' }) });
    expect(changed.status).toBeLessThan(300);
    await grow();
    await visit.page.goBack();
    await visit.page.getByRole('heading', { level: 1, name: 'as it is' }).waitFor();
    await expect.poll(() => note(visit)).toMatch(ofAll);
    expect(visit.faults).toEqual([]);
  });
});
