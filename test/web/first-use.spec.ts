import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Cli } from '../e2e/service.ts';
import { Site, type Visit } from './browser.ts';
import { writeRun } from './logs.ts';
import { violations } from './violations.ts';

const forms = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/**
 * Returns the axe violations in both themes, and other faults of the visit, except the browser's
 * own report of `status`.
 */
async function faultsOf(visit: Visit, status = 200): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await visit.page.emulateMedia({ colorScheme });
    found.push(...(await violations(visit, colorScheme === 'light' ? 'all' : 'colors')));
  }
  return [...found, ...visit.faults.filter((fault) => status === 200 || !fault.includes(`status of ${status}`))];
}

const heading = ({ page }: Visit) => page.getByRole('heading', { level: 1 }).innerText();

describeWith(['chromium'], 'the first five minutes', () => {
  let site: Site;
  let link: string;

  beforeAll(async () => {
    site = await Site.start();
    link = /^.*(http:\/\/\S+\/sign-in\/\S+)$/m.exec(site.service.output)![1]!; // It is used up now.
    await writeRun(
      site.folder('vit-sweep'),
      'run',
      Array.from({ length: 20 }, (_, step) => ({ step, scalars: { accuracy: step / 20, 'train/loss': 1 / (step + 1) } })),
    );
  });
  afterAll(() => site?.close());

  it.each(forms)('the root leads visitors to a page that explains Plotline and how to sign in (%o)', async (form) => {
    const visit = await site.visit({ ...form, stranger: true });
    await visit.open('/');
    expect(new URL(visit.page.url()).pathname).toBe('/sign-in');
    expect(await heading(visit)).toBe('Sign in to Plotline');
    expect(await visit.page.getByRole('main').innerText()).toMatch(/stores training logs[^]*login-link/);
    expect(await visit.page.locator('header.bar .mark').innerText()).toBe('Plotline');
    expect(await visit.page.evaluate('getComputedStyle(document.body).fontFamily')).toMatch(/^"Inter Variable"/);
    expect(await faultsOf(visit)).toEqual([]);
  });

  it.each(forms)('a used sign-in link says so, and offers a next step (%o)', async (form) => {
    const stranger = await site.visit({ ...form, stranger: true });
    await stranger.open(link);
    expect(await heading(stranger)).toBe('This sign-in link was already used or has expired');
    expect(await faultsOf(stranger, 404)).toEqual([]);
    await stranger.page.getByRole('link', { name: 'Other ways to sign in' }).click();
    expect(await heading(stranger)).toBe('Sign in to Plotline');

    const member = await site.visit(form);
    await member.open(link);
    expect(await heading(member)).toBe('This sign-in link was already used or has expired');
    await member.page.getByRole('link', { name: 'Continue to Plotline' }).click();
    await member.settled();
    expect(new URL(member.page.url()).pathname).toBe('/');
  });

  it.each(forms)('a missing page says so, with the header of a member, or with a way to sign in (%o)', async (form) => {
    for (const path of ['/e/0000000000000000000000', '/no/such/page']) {
      const member = await site.visit(form);
      await member.open(path);
      expect([path, await heading(member)]).toEqual([path, 'Page not found']);
      expect(await faultsOf(member, 404)).toEqual([]);
      await member.page.keyboard.press('ControlOrMeta+k');
      await member.page.getByRole('combobox').fill('usage');
      await member.page.keyboard.press('Enter');
      await member.page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
      await member.page.goBack();
      await member.page.getByRole('link', { name: 'Go to experiments' }).click();
      await member.settled();
      expect(new URL(member.page.url()).pathname).toBe('/');
    }
    const stranger = await site.visit({ ...form, stranger: true });
    await stranger.open('/e/0000000000000000000000');
    expect(await heading(stranger)).toBe('Page not found');
    expect(await faultsOf(stranger, 404)).toEqual([]);
    await stranger.page.getByRole('link', { name: 'Sign in' }).click();
    expect(new URL(stranger.page.url()).searchParams.get('next')).toBe('/e/0000000000000000000000');
  });

  it.each(forms)('an empty workspace shows three steps, each with its command (%o)', async (form) => {
    const visit = await site.visit(form);
    await visit.open('/');
    expect(await heading(visit)).toBe('Start your first experiment');
    for (const [way, text] of [
      ['Python', /pip install[^]*plotline\.init/],
      ['Command line', /plotline -- upload --logdir/],
      ['Docker', /docker run[^]*cli upload/],
      ['curl', /curl[^]*Upload-Offset/],
    ] as const) {
      await visit.page.getByRole('radio', { name: way }).check();
      const commands = await visit.page.locator('.start .command code').allInnerTexts();
      expect(commands.join('\n')).toMatch(text);
      expect(commands.join('\n')).toContain(`PLOTLINE_SERVER=${site.service.url} PLOTLINE_TOKEN=YOUR_TOKEN`);
    }
    await visit.page.getByText('Waiting for your first point…').waitFor();
    expect(await faultsOf(visit)).toEqual([]);
  });

  it('a token created there uploads to this workspace, and the page turns into the first chart', async () => {
    const visit = await site.visit();
    await visit.open('/');
    await visit.page.getByRole('button', { name: 'Create token' }).click();
    await visit.page.getByText('Token created').waitFor();
    await visit.page.getByRole('radio', { name: 'Command line' }).check();
    const [command] = await visit.page.locator('.start .command code').allInnerTexts();
    const [, server, token] = /^export PLOTLINE_SERVER=(\S+) PLOTLINE_TOKEN=(plt_\S+)$/.exec(command!)!;
    expect(await faultsOf(visit)).toEqual([]);
    await visit.page.getByText('Waiting for your first point…').waitFor();

    const settings = { PLOTLINE_SERVER: server, PLOTLINE_TOKEN: token, PLOTLINE_DATA_DIR: site.folder('elsewhere') };
    await new Cli(site.service, site.folder('other-state'), settings).json('upload', '--logdir', site.folder('vit-sweep'), '--one-shot');
    await visit.page.getByText('Your data is here').waitFor();
    const picture = visit.page.getByRole('img', { name: 'Chart of train/loss' });
    await picture.waitFor();
    await expect.poll(() => visit.page.evaluate(`document.querySelector('.first-picture').naturalWidth`)).toBe(640);
    // Named after the log directory.
    await visit.page.getByRole('row', { name: /vit-sweep/ }).waitFor();
    expect(await visit.page.getByRole('row', { name: /vit-sweep/ }).innerText()).toMatch(/\S+:\/.*vit-sweep/);
    expect(await faultsOf(visit)).toEqual([]);
    await visit.page.getByRole('link', { name: 'Open vit-sweep' }).click();
    await visit.card('train/loss').waitFor();

    // Afterward, the steps are collapsed.
    await visit.open('/');
    expect(await heading(visit)).toBe('Experiments');
    expect(await visit.page.getByText('Waiting for your first point…').count()).toBe(0);
    await visit.page.getByText('Upload another experiment').click();
    await visit.page.getByRole('button', { name: 'Create token' }).waitFor();
    expect(await faultsOf(visit)).toEqual([]);
  });

  it('a click on the name of an experiment renames it, to any text', async () => {
    const { experiment_id: id } = await site.upload(site.folder('vit-sweep'), '--new');
    const visit = await site.visit();
    await visit.open(`/e/${id}`);
    const title = visit.page.getByRole('heading', { level: 1 });
    const rename = async (name: string, key: string): Promise<void> => {
      await title.getByRole('button').click();
      await visit.page.getByLabel('Experiment name').fill(name);
      await visit.page.keyboard.press(key);
      await visit.page.getByLabel('Experiment name').waitFor({ state: 'detached' });
    };
    await rename('something else', 'Escape');
    expect(await heading(visit)).toBe('vit-sweep');
    const hostile = '<img src=x onerror=alert(1)> \u202e{{7*7}}';
    await rename(hostile, 'Enter');
    expect(await heading(visit)).toBe('<img src=x onerror=alert(1)> [U+202E]{{7*7}}');
    await expect.poll(() => visit.page.title()).toContain('<img src=x onerror=alert(1)>');
    expect((await site.service.json<{ name: string }>(`/experiments/${id}`)).name).toBe(hostile);
    await title.getByRole('button').click();
    expect(await faultsOf(visit)).toEqual([]);
    await visit.page.keyboard.press('Escape');
    await visit.page.getByRole('link', { name: 'Plotline' }).click();
    await visit.page.getByRole('link', { name: /<img src=x/ }).waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('shows the receipt as text, with a link to its JSON', async () => {
    const { experiment_id: id } = await site.upload(site.folder('vit-sweep'), '--new');
    const { digest } = await site.service.json<{ digest: string }>(`/experiments/${id}/receipt`);
    const visit = await site.visit();
    await visit.open(`/e/${id}`);
    await visit.page.getByRole('link', { name: 'Upload receipt' }).click();
    const dialog = visit.page.getByRole('dialog', { name: 'Upload receipt' });
    await dialog.getByText(digest).waitFor();
    expect(await dialog.innerText()).toMatch(
      /1 file, [\d.]+ kB, received and stored\. All of it is visible\.[^]*Points\s+40[^]*Problems\s+none/,
    );
    expect(await dialog.getByRole('row', { name: /run\/events/ }).innerText()).toMatch(/[0-9a-f]{8}\s+complete/);
    expect(await dialog.getByRole('link', { name: 'View as JSON' }).getAttribute('href')).toBe(`/api/v1/experiments/${id}/receipt`);
    expect(await faultsOf(visit)).toEqual([]);
  });

  it('a revoked link and a revoked embed explain what happened; the embed also in its frame', async () => {
    const { experiment_id: id } = await site.upload(site.folder('vit-sweep'), '--new');
    const make = (body: object) => site.service.json<{ id: string; url: string }>(`/experiments/${id}/share-links`, body);
    const page = await make({});
    const embed = await make({ embed_origins: ['https://blog.example'] });
    const guest = await site.visit({ stranger: true });
    await guest.open(page.url);
    // Host and path are shown only to members.
    expect(await guest.page.content()).not.toContain(site.folder('vit-sweep'));
    for (const one of [page, embed]) await site.service.fetch(`/share-links/${one.id}`, { method: 'DELETE' });
    for (const form of forms) {
      const visit = await site.visit({ ...form, stranger: true });
      await expect
        .poll(async () => (await visit.page.context().request.get(page.url, { maxRedirects: 0 })).status(), { timeout: 10_000 })
        .toBe(404);
      await visit.open(page.url);
      expect(await heading(visit)).toBe('This link is no longer available');
      expect(await faultsOf(visit, 404)).toEqual([]);
      await visit.page.getByRole('link', { name: 'sign in' }).click();
      expect(await heading(visit)).toBe('Sign in to Plotline');

      const framed = await site.visit({ ...form, stranger: true });
      const response = await framed.page.goto(embed.url);
      expect(response!.headers()['content-security-policy']).toMatch(/frame-ancestors \*$/);
      expect(await heading(framed)).toBe('This chart is not available');
      expect(await framed.page.getByRole('main').innerText()).toContain('has expired, was revoked');
      expect(await framed.page.locator('a, script, form').count()).toBe(0);
      expect(await faultsOf(framed, 404)).toEqual([]);
    }
  });

  it('a chosen theme applies to all kinds of pages', async () => {
    const visit = await site.visit();
    const ground = () => visit.page.evaluate('getComputedStyle(document.body).backgroundColor');
    const [light, dark] = ['rgb(251, 250, 248)', 'rgb(18, 18, 17)'];
    await visit.open('/');
    expect(await ground()).toBe(light);
    await visit.page.getByRole('button', { name: 'Theme' }).click();
    expect(await violations(visit)).toEqual([]);
    await visit.page.getByLabel('Dark').check();
    expect(await ground()).toBe(dark);
    for (const path of ['/', '/tokens', '/sessions', '/device', '/no/such/page']) {
      await visit.open(path);
      expect([path, await ground()]).toEqual([path, dark]);
      expect(await violations(visit, 'colors')).toEqual([]);
    }
    await visit.page.emulateMedia({ colorScheme: 'dark' });
    await visit.page.getByRole('button', { name: 'Theme' }).click();
    await visit.page.getByLabel('Light').check();
    expect(await ground()).toBe(light);
    await visit.page.getByLabel('System').check();
    expect(await ground()).toBe(dark);
    await visit.open('/sessions');
    expect(await ground()).toBe(dark);
    expect(visit.faults.filter((fault) => !fault.includes('status of 404'))).toEqual([]);
  });
});
