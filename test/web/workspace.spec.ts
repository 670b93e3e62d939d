import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, freePort } from '#testing';
import { OpenIdProvider } from '../../apps/read/src/testing/openid-provider.ts';
import { chromiumPath, Site, type Visit } from './browser.ts';
import { writeRun } from './logs.ts';
import { violations } from './violations.ts';

describeWith(['chromium'], 'the pages of a workspace', () => {
  let site: Site;
  let provider: OpenIdProvider;
  let [id, other] = ['', ''];

  beforeAll(async () => {
    const port = await freePort();
    provider = await OpenIdProvider.start(`http://127.0.0.1:${port}/sign-in/oidc/callback`);
    site = await Site.start(chromiumPath(), {
      port,
      env: {
        PLOTLINE_OIDC_ISSUER: provider.issuer,
        PLOTLINE_OIDC_CLIENT_ID: OpenIdProvider.clientId,
        PLOTLINE_OIDC_CLIENT_SECRET: OpenIdProvider.clientSecret,
        PLOTLINE_OIDC_NAME: 'Example ID',
      },
    });
    await writeRun(site.folder('log'), 'run', [{ step: 1, scalars: { loss: 1 } }]);
    id = (await site.upload(site.folder('log'), '--name', 'mine')).experiment_id;
    other = (await site.upload(site.folder('log'), '--name', 'other', '--new')).experiment_id;
  });
  afterAll(async () => {
    await site?.close();
    await provider?.stop();
  });

  const statusWith = async (token: string, path: string): Promise<number> =>
    (await site.service.fetch(path, { headers: { authorization: `Bearer ${token}` } })).status;

  it('are linked from the header', async () => {
    const visit = await site.visit();
    await visit.open('/');
    const go = async (link: string, title: RegExp): Promise<void> => {
      await visit.page.getByRole('button', { name: /^Workspace/ }).click();
      // The open menu covers part of the list, so its targets are too small.
      expect(await violations(visit, 'all', ['.scroll'])).toEqual([]);
      await visit.page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: link }).click();
      await visit.page.getByRole('heading', { level: 1, name: title }).waitFor();
    };
    await go('Members', /^Members of/);
    await go('Access tokens', /^Access tokens$/);
    await go('Usage', /^Usage$/);
    await go('Experiments', /^Experiments$/);
    await visit.page.goBack();
    await visit.page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    // No page was loaded again.
    expect(visit.requests.filter((request) => /^GET \/(members|tokens|usage)$/.test(request))).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('creates a token with the ticked permissions, shows it once, and revokes it', async () => {
    const visit = await site.visit();
    await visit.open('/tokens');
    await visit.page.getByRole('button', { name: 'New token' }).click();
    const form = visit.page.getByRole('form', { name: 'New token' });
    await form.getByLabel('Name', { exact: true }).fill('<i>reader</i>');
    await form.getByLabel('upload').uncheck();
    await form.getByLabel('Selected experiments').check();
    await form.getByLabel('mine').check();
    await form.getByLabel('Expires').selectOption('in 7 days');
    expect(await violations(visit)).toEqual([]);
    await form.getByRole('button', { name: 'Create token' }).click();
    const shown = visit.page.getByRole('region', { name: 'The new token' });
    const token = await shown.locator('code').first().innerText();
    expect(token).toMatch(/^plt_/);
    expect(await statusWith(token, `/experiments/${id}`)).toBe(200);
    expect(await statusWith(token, `/experiments/${other}`)).toBe(404);
    expect(await statusWith(token, '/tokens')).toBe(403);
    await visit.page.getByRole('button', { name: 'Done' }).click();
    const row = visit.page.getByRole('row', { name: '<i>reader</i>' });
    expect(await row.innerText()).toMatch(/…\w{4}\s+read in 1 experiment/);
    await visit.open('/tokens');
    expect(await visit.page.content()).not.toContain(token);
    expect(await row.innerText()).toContain(new Date().toISOString().slice(0, 10)); // Last used.
    await row.getByRole('button').click();
    await row.getByRole('button', { name: 'Revoke?' }).click();
    await row.waitFor({ state: 'detached' });
    await expect.poll(() => statusWith(token, `/experiments/${id}`), { timeout: 10_000 }).toBe(401);
    expect(visit.faults).toEqual([]);
  });

  it('shows the usage of each quota', async () => {
    const visit = await site.visit();
    await visit.open('/usage');
    expect(await visit.page.getByRole('row', { name: /^Experiments/ }).innerText()).toMatch(/^Experiments\s+2\s+/);
    expect(await visit.page.getByRole('row').count()).toBe(8); // Seven quotas and their header.
    expect(visit.faults).toEqual([]);
  });

  /** Signs in at the provider, as a person would, with an invitation link. */
  async function join(link: string, login: string): Promise<Visit> {
    const visit = await site.visit({ stranger: true });
    await visit.page.goto(link);
    await visit.page.getByRole('link', { name: 'Continue' }).click();
    await visit.page.getByRole('link', { name: 'Sign in' }).click();
    await visit.page.getByRole('link', { name: 'Sign in with Example ID' }).click();
    await visit.page.locator('input[name=login]').fill(login);
    await visit.page.locator('input[name=password]').fill('any');
    await visit.page.locator('button[type=submit]').click();
    await visit.page.getByRole('heading', { name: 'Experiments', level: 1 }).waitFor();
    visit.faults.length = 0; // On the provider's pages.
    return visit;
  }

  it('invites a member, who sees only permitted actions, gets another role, and is removed at once', async () => {
    provider.accounts.set('grace', { name: 'Grace <b>Hopper</b>', email: 'grace@example.org', email_verified: true });
    const owner = await site.visit();
    await owner.open('/members');
    await owner.page.getByRole('button', { name: 'Invite' }).click();
    await owner.page.getByRole('combobox', { name: 'Role' }).selectOption('viewer');
    expect(await violations(owner)).toEqual([]);
    await owner.page.getByRole('button', { name: 'Create link' }).click();
    const link = await owner.page.getByRole('region', { name: 'The invitation' }).locator('code').innerText();
    await owner.page.getByRole('button', { name: 'Done' }).click();
    await owner.page.getByRole('region', { name: 'Open invitations' }).getByRole('row', { name: 'viewer' }).waitFor();

    const guest = await join(link, 'grace');
    await guest.open(`/e/${id}`);
    expect(await guest.page.getByRole('button', { name: /^(Share|Compare)/ }).allInnerTexts()).toEqual(['Compare']);
    await guest.open('/members');
    const people = guest.page.getByRole('region', { name: 'Members' });
    await people.getByText('Grace <b>Hopper</b> (you)').waitFor();
    expect(await guest.page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    expect(await people.getByRole('combobox').count()).toBe(0);
    expect(await people.getByRole('button').allInnerTexts()).toEqual(['Leave']);
    await guest.open('/tokens');
    expect(await guest.page.getByLabel("Show everyone's tokens").count()).toBe(0);
    await guest.page.getByRole('button', { name: 'New token' }).click();
    expect(await guest.page.locator('.panel .choice:has([type=checkbox]) > :nth-child(2)').allInnerTexts()).toEqual(['read', 'manage']);
    expect(guest.faults).toEqual([]);

    await owner.open('/members');
    await owner.page.getByLabel('Role of Grace').selectOption('member');
    await guest.open(`/e/${id}`);
    // Of another member's experiment
    expect(await guest.page.getByRole('button', { name: 'Share' }).count()).toBe(0);
    const row = owner.page.getByRole('row', { name: 'Grace' });
    await row.getByRole('button', { name: 'Remove' }).click();
    await row.getByRole('button', { name: 'Remove?' }).click();
    await row.waitFor({ state: 'detached' });
    await expect.poll(async () => (await guest.page.context().request.get('/members')).status(), { timeout: 10_000 }).toBe(404);
    expect(owner.faults).toEqual([]);
  });

  it('rejects what a page did not offer, with the reason', async () => {
    const owner = await site.visit();
    await owner.open('/members');
    const own = owner.page.getByRole('row', { name: '(you)' });
    await own.getByRole('button', { name: 'Leave' }).click();
    await own.getByRole('button', { name: 'Leave now?' }).click();
    await owner.page.getByRole('alert').getByText('A workspace always has an owner.').waitFor();
  });
});
