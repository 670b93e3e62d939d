import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
import { sweep, writeTrainings } from './logs.ts';
import { violations } from './violations.ts';

describeWith(['chromium'], 'links to reports', () => {
  let site: Site;
  let id: string;
  let other: string;
  let report: string;

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 3));
    id = (await site.upload(site.folder('sweep'), '--name', 'sweep')).experiment_id;
    other = (await site.upload(site.folder('sweep'), '--name', 'other', '--new')).experiment_id;
    const body = `It *falls*.\n\n${block(`/e/${id}?card=train%2Floss`, 'Loss')}\n\n${block(`/e/${id}?tab=runs`)}`;
    report = (await site.service.json<{ id: string }>('/reports', { title: 'Rates', body })).id;
  });
  afterAll(() => site?.close());

  const block = (address: string, caption = ''): string => `\`\`\`plotline\n${address}\n${caption}\n\`\`\``;
  const openDialog = async (): Promise<Visit> => {
    const visit = await site.visit();
    await visit.open(`/reports/${report}`);
    await visit.page.getByRole('button', { name: 'Share' }).click();
    await visit.page.getByRole('form', { name: 'New link' }).waitFor();
    return visit;
  };
  const create = async ({ page }: Visit): Promise<string> => {
    await page.getByRole('button', { name: 'Create link' }).click();
    return page.getByRole('region', { name: 'The new link' }).locator('code').innerText();
  };
  /** Returns the statuses of these paths for a browser. */
  const statuses = (visit: Visit, paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await visit.page.context().request.get(path, { maxRedirects: 0 })).status()));

  it('are created in the report, and show it with its charts to someone who is not signed in', async () => {
    const visit = await openDialog();
    await visit.page.getByText('Anyone with a link can view this report and the experiments that it shows').waitFor();
    await visit.page.getByLabel('Label').fill('for <b>Grace</b>');
    await visit.page.getByLabel(/^Anonymous/).check();
    expect(await violations(visit)).toEqual([]);
    const address = await create(visit);
    expect(address).toMatch(/\/s\/[0-9A-Za-z]{30}$/);
    const links = visit.page.getByRole('region', { name: 'Links' });
    await links.getByText('for <b>Grace</b>').waitFor();
    expect(await links.innerText()).toContain('live · anonymous');
    expect(visit.faults).toEqual([]);

    for (const options of [{}, { dark: true }, { width: 390, height: 844 }]) {
      const guest = await site.visit({ stranger: true, ...options });
      const { page } = guest;
      await guest.open(address);
      expect(page.url()).toBe(`${site.service.url}/reports/${report}`);
      await page.getByRole('heading', { level: 1, name: 'Rates' }).waitFor();
      await page.locator('.report-block canvas').first().waitFor();
      await expect.poll(() => page.locator('.report-block').nth(1).locator('tbody tr').count()).toBe(3);
      await guest.settled();
      for (const name of ['Share', 'Delete Rates', 'Workspace'])
        expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0]);
      expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
      expect(await page.locator('body').innerText()).not.toMatch(/\bBy \w/);
      expect(await violations(guest)).toEqual([]);
      expect(guest.faults).toEqual([]);
    }

    const guest = await site.visit({ stranger: true });
    await guest.open(address);
    await guest.page.getByRole('link', { name: 'sweep', exact: true }).first().click();
    await guest.page.waitForURL(/\/e\/.*card=train/);
    await guest.page.getByRole('dialog').locator('canvas').first().waitFor();
    expect(guest.faults).toEqual([]);
    expect(await statuses(guest, [`/e/${id}`, `/api/v1/experiments/${id}`, `/api/v1/reports/${report}`])).toEqual([200, 200, 200]);
    const pages = ['/', `/e/${other}`, '/reports', `/reports/${report}/edit`, '/reports/00000000-0000-4000-8000-000000000000', '/members'];
    expect((await statuses(guest, pages)).map((status) => (status === 303 ? 404 : status))).toEqual(pages.map(() => 404));
    const apis = [`/experiments/${other}`, '/experiments', '/reports', '/members', '/usage', `/reports/${report}/share-links`];
    expect(
      await statuses(
        guest,
        apis.map((path) => `/api/v1${path}`),
      ),
    ).toEqual(apis.map(() => 401));
    expect(await statuses(guest, [`/api/v1/experiments/${id}/files`, `/api/v1/experiments/${id}/receipt`])).toEqual([403, 403]);
  });

  it('follow the report, and end when they are revoked', async () => {
    const visit = await openDialog();
    const address = await create(visit);
    const guest = await site.visit({ stranger: true });
    await guest.open(address);
    await guest.page.locator('.report-block canvas').first().waitFor();
    expect(await statuses(guest, [`/api/v1/experiments/${other}`])).toEqual([401]);
    const { version, body } = await site.service.json<{ version: number; body: string }>(`/reports/${report}`);
    const changed = await visit.page.context().request.patch(`/api/v1/reports/${report}`, {
      headers: { Origin: site.service.url, 'Sec-Fetch-Site': 'same-origin' },
      data: { version, body: `${body}\n\n${block(`/e/${other}?card=train%2Floss`)}` },
    });
    expect(changed.status()).toBe(200);
    // Link lookups are cached for three seconds.
    await expect.poll(() => statuses(guest, [`/api/v1/experiments/${other}`]), { timeout: 10_000 }).toEqual([200]);
    await guest.open(`/reports/${report}`);
    await expect.poll(() => guest.page.locator('.report-block').count()).toBe(3);
    await guest.page.locator('.report-block').nth(2).locator('canvas').first().waitFor();
    expect(guest.faults).toEqual([]);

    const links = visit.page.getByRole('region', { name: 'Links' });
    await links
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .click();
    await links.getByRole('button', { name: /^Revoke\?/ }).click();
    await expect.poll(() => statuses(guest, [`/api/v1/reports/${report}`]), { timeout: 10_000 }).toEqual([401]);
    await guest.page.goto(address);
    await guest.page.getByRole('heading', { name: 'This link is no longer available' }).waitFor();
    await guest.page.goto(`/reports/${report}`);
    await guest.page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
});
