import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site } from './browser.ts';
import { violations } from './violations.ts';
import { sweep, writeTrainings } from './logs.ts';

const logs = join(import.meta.dirname, '../data/logs');

describeWith(['chromium'], 'everybody can use', () => {
  let site: Site;
  let addresses: Record<string, string>;

  beforeAll(async () => {
    site = await Site.start();
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 3));
    const [plain, all] = await Promise.all([
      site.upload(site.folder('sweep'), '--name', 'sweep', '--description', 'Learning rates of a small network'),
      site.upload(join(logs, 'torch'), '--name', 'torch'),
    ]).then((uploads) => uploads.map((one) => one.experiment_id));
    const tabs = ['histograms', 'images', 'audio', 'text', 'pr_curves', 'hparams', 'graphs', 'other'];
    addresses = {
      'the list of experiments': '/',
      'an experiment': `/e/${plain}`,
      members: '/members',
      tokens: '/tokens',
      usage: '/usage',
      sessions: '/sessions',
      workspaces: '/workspaces',
      'a device signs in': '/device',
      'one chart': `/e/${plain}?card=train%2Floss`,
      'an address of nothing': '/e/0000000000000000000000',
      ...Object.fromEntries(tabs.map((tab) => [tab, `/e/${all}?tab=${tab}`])),
    };
  });
  afterAll(() => site?.close());

  const withoutScript = new Set(['an address of nothing', 'sessions', 'workspaces', 'a device signs in']);
  const forms = [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ];

  // Both themes of a page that was loaded once: themes are the style sheet's, and a script that has to follow one follows its change
  it.each(forms)('every page, light and dark (%o)', { timeout: 300_000 }, async (form) => {
    const found: Record<string, string[]> = {};
    for (const [name, path] of Object.entries(addresses)) {
      const visit = await site.visit(form);
      await visit.page.goto(path);
      for (const colorScheme of ['light', 'dark'] as const) {
        await visit.page.emulateMedia({ colorScheme });
        if (!withoutScript.has(name)) await visit.settled();
        const faults = await violations(visit);
        if (faults.length > 0) found[`${name}, ${colorScheme}`] = faults;
      }
      await visit.page.context().close();
    }
    expect(found).toEqual({});
  });
});
