import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import type { Frame } from 'playwright-core';
import { serveHtml } from './serve-html.ts';
import { Site, type Visit } from './browser.ts';
import { sweep, writeTrainings } from './logs.ts';
import { violations } from './violations.ts';

/**
 * Requests that the holder of a link to an experiment may send; each response contains only what
 * the link shows.
 */
const granted = [
  'GET /api/v1/experiments/{experimentId}',
  'GET /api/v1/experiments/{experimentId}/logs',
  'GET /api/v1/experiments/{experimentId}/runs',
  'GET /api/v1/experiments/{experimentId}/series',
  'GET /api/v1/experiments/{experimentId}/tags',
  'GET /api/v1/experiments/{experimentId}/scalars',
  'GET /api/v1/experiments/{experimentId}/frontier',
  'GET /api/v1/experiments/{experimentId}/events',
  'POST /api/v1/experiments/{experimentId}/scalars/query',
  'POST /api/v1/experiments/{experimentId}/tensors/query',
  'POST /api/v1/experiments/{experimentId}/blob-sequences/query',
  'GET /e/{experimentId}',
  'GET /e/{experimentId}/r/{run}',
  'GET /e/{experimentId}/{picture}',
];

interface Operation {
  readonly security?: readonly unknown[];
  readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown }> };
}

describeWith(['chromium'], 'sharing an experiment', () => {
  let site: Site;
  let id: string;
  let other: string;
  const [first, second, third] = sweep.map(({ run }) => run) as [string, string, string];

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 3));
    id = (await site.upload(site.folder('sweep'), '--name', 'sweep')).experiment_id;
    other = (await site.upload(site.folder('sweep'), '--name', 'other', '--new')).experiment_id;
  });
  afterAll(() => site?.close());

  async function openDialog(path = `/e/${id}`): Promise<Visit> {
    const visit = await site.visit();
    await visit.open(path);
    await visit.page.getByRole('button', { name: 'Share' }).click();
    await visit.page.getByRole('form', { name: 'New link' }).waitFor();
    return visit;
  }

  const runNames = (visit: Visit) =>
    visit.page.locator('.run .run-name').evaluateAll((names) => names.map((one) => one.getAttribute('title')));
  const madeAddress = async (visit: Visit): Promise<string> => {
    await visit.page.getByRole('button', { name: 'Create link' }).click();
    return visit.page.getByRole('region', { name: 'The new link' }).locator('code').innerText();
  };

  it('a double click creates one link', async () => {
    const visit = await openDialog(`/e/${other}`);
    await visit.page.getByRole('button', { name: 'Create link' }).dblclick();
    await visit.page.getByRole('region', { name: 'The new link' }).waitFor();
    await visit.settled();
    const { share_links: links } = await site.service.json<{ share_links: unknown[] }>(`/experiments/${other}/share-links`);
    expect(links).toHaveLength(1);
  });

  it('a share link opened in a new browser context shows exactly what it grants; every other API request from there is rejected', async () => {
    const visit = await openDialog(`/e/${id}?tagFilter=loss&run=${encodeURIComponent(first)}&run=${encodeURIComponent(second)}`);
    const form = visit.page.getByRole('form', { name: 'New link' });
    await form.getByRole('group', { name: 'Runs' }).first().getByLabel('Selected').check();
    await form.getByRole('group', { name: 'Tags' }).first().getByLabel('Selected').check();
    expect(await form.getByLabel('Selected: 2 of 3').isChecked()).toBe(true);
    expect(await form.getByLabel('Selected: 2 of 11').isChecked()).toBe(true);
    await form.getByRole('group', { name: 'Tags' }).getByLabel('train/loss').uncheck();
    await form.getByLabel('Label').fill('for <b>Grace</b>');
    expect(await violations(visit)).toEqual([]);
    const address = await madeAddress(visit);
    expect(address).toMatch(/\/s\/[0-9A-Za-z]{30}$/);

    const guest = await site.visit({ stranger: true });
    await guest.open(address);
    expect(guest.page.url()).toBe(`${site.service.url}/e/${id}`);
    expect(new Set(await runNames(guest))).toEqual(new Set([first, second]));
    expect(await guest.page.locator('.card').evaluateAll((cards) => cards.map((one) => one.getAttribute('aria-label')))).toEqual([
      'validation/loss',
    ]);
    for (const name of ['Share', 'Notes', 'Compare with other experiments', 'Workspace'])
      expect([name, await guest.page.getByRole('button', { name }).count()]).toEqual([name, 0]);
    expect(await guest.page.content()).not.toContain(third);
    expect(guest.faults).toEqual([]);

    const { paths } = (await (await fetch(`${site.service.url}/api/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, Operation>>;
    };
    const ask = async (method: string, path: string, experimentId: string, operation: Operation) => {
      const values: Record<string, string> = { experimentId, picture: 'validation/loss.svg' };
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '00000000-0000-4000-8000-000000000000');
      const [content] = Object.entries(operation.requestBody?.content ?? {});
      const example = content?.[1].example ?? {};
      const isForm = content?.[0] === 'application/x-www-form-urlencoded';
      // As the page would send it.
      return guest.page.context().request.fetch(filled, {
        method,
        headers: { Origin: site.service.url, 'Sec-Fetch-Site': 'same-origin' },
        maxRedirects: 0,
        ...(isForm ? { form: example as Record<string, string> } : method === 'POST' || method === 'PATCH' ? { data: example } : {}),
      });
    };
    const responded: string[] = [];
    let rejected = 0;
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations)) {
        const key = `${method.toUpperCase()} ${path}`;
        // A response that is open to everyone and never ends.
        if (operation.security?.length === 0 || path.endsWith('/events')) continue;
        for (const experimentId of [id, other]) {
          const response = await ask(method, path, experimentId, operation);
          const text = await response.text();
          if (experimentId === id && granted.includes(key) && response.status() < 400) {
            responded.push(key);
            expect([key, text.includes(third), /train\/|gradients|learning_rate/.test(text)]).toEqual([key, false, false]);
            continue;
          }
          expect([key, [400, 401, 403, 404].includes(response.status()), response.status()]).toEqual([key, true, response.status()]);
          // An example that does not apply to this log.
          if (response.status() === 400) expect([key, granted.includes(key)]).toEqual([key, true]);
          rejected++;
        }
      }
    expect(responded).toEqual(expect.arrayContaining(['GET /e/{experimentId}', 'GET /api/v1/experiments/{experimentId}/runs']));
    expect(rejected).toBeGreaterThan(60);
    expect((await site.service.json<{ id: string }>(`/experiments/${id}`)).id).toBe(id);

    await visit.page.keyboard.press('Escape');
    await visit.page.getByRole('button', { name: 'Share' }).click();
    await visit.page.getByText('2 runs · 1 tag · live').waitFor();
    await visit.page.getByText('for <b>Grace</b>').waitFor();
    await visit.page.getByRole('button', { name: 'Revoke the link' }).click();
    await visit.page.getByRole('button', { name: 'Revoke? the link' }).click();
    await visit.page.getByText('None yet.').waitFor();
    await expect.poll(async () => (await guest.page.context().request.get(`/e/${id}`)).status(), { timeout: 10_000 }).toBe(404);
    expect(visit.faults).toEqual([]);
  });

  it('a frozen link without names shows a copy of the current state', async () => {
    const visit = await openDialog();
    await visit.page.getByLabel('A snapshot, frozen now').check();
    await visit.page.getByLabel('Anonymous: hide people').check();
    await visit.page.getByLabel('Expires').selectOption('in 7 days');
    const address = await madeAddress(visit);
    const guest = await site.visit({ stranger: true, dark: true, width: 390, height: 844 });
    await guest.open(address);
    expect(guest.page.url()).not.toContain(id);
    expect(await guest.page.locator('.card').count()).toBeGreaterThan(3);
    const { reader, experiment } = JSON.parse((await guest.page.locator('#page-data').textContent())!) as {
      reader: unknown;
      experiment: { experiment: { owner: unknown; workspace: unknown } };
    };
    expect([reader, experiment.experiment.owner, experiment.experiment.workspace]).toEqual([null, null, null]);
    expect(await violations(guest)).toEqual([]);
    expect([...visit.faults, ...guest.faults]).toEqual([]);
  });

  it('an embed shows charts in frames of the named sites only', async () => {
    const sites = await Promise.all([0, 1].map(() => serveHtml(`<iframe width="800" height="480"></iframe>`)));
    const visit = await openDialog();
    await visit.page.getByLabel('Embed on another website').check();
    await visit.page.getByLabel('Websites that may embed the link').fill(sites[0]!.origin);
    expect(await violations(visit)).toEqual([]);
    const [, address] = /^<iframe src="([^"]+)"/.exec(await madeAddress(visit))!;
    const framed = async (origin: string, query = ''): Promise<Frame> => {
      const page = await (await site.browser.newContext({ viewport: { width: 900, height: 600 } })).newPage();
      await page.goto(origin);
      await page.evaluate(`document.querySelector('iframe').src = ${JSON.stringify(address! + query)}`);
      await page.frameLocator('iframe').locator('body').waitFor({ state: 'attached' });
      return page.frames()[1]!;
    };
    const all = await framed(sites[0]!.origin);
    await all.locator('.card').nth(10).waitFor();
    expect(await all.locator('a, script, form').count()).toBe(0);
    const one = await framed(sites[0]!.origin, `?tag=train/loss&run=${encodeURIComponent(first)}&smoothing=0`);
    await one.locator('.card').waitFor();
    expect(await one.locator('footer .run-name').evaluateAll((names) => names.map((each) => each.getAttribute('title')))).toEqual([first]);
    expect((await one.locator('.card').boundingBox())!.height).toBeGreaterThan(400);
    const elsewhere = await framed(sites[1]!.origin);
    await expect.poll(() => elsewhere.url()).toBe('chrome-error://chromewebdata/');
    expect(await elsewhere.locator('.card').count()).toBe(0);
    for (const { close } of sites) await close();
    expect(visit.faults).toEqual([]);
  });

  it('anyone can open the address of a public experiment, until it is no longer public', async () => {
    const visit = await openDialog();
    const guest = await site.visit({ stranger: true });
    await visit.page.getByLabel('General access').selectOption('Anyone with the address, without signing in');
    await expect.poll(async () => (await guest.page.context().request.get(`/e/${id}`)).status(), { timeout: 10_000 }).toBe(200);
    await visit.page.getByLabel('General access').selectOption({ index: 0 });
    await expect.poll(async () => (await guest.page.context().request.get(`/e/${id}`)).status(), { timeout: 10_000 }).toBe(404);
    expect(visit.faults).toEqual([]);
  });
});
