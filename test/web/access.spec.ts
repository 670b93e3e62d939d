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
    const plain = (await site.upload(site.folder('sweep'), '--name', 'sweep', '--description', 'Learning rates of a small network'))
      .experiment_id;
    const all = (await site.upload(join(logs, 'torch'), '--name', 'torch')).experiment_id;
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
    { width: 1280, height: 800, dark: false },
    { width: 1280, height: 800, dark: true },
    { width: 390, height: 844, dark: false },
    { width: 390, height: 844, dark: true },
  ];

  it.each(forms)('every page (%o)', { timeout: 300_000 }, async (form) => {
    const found: Record<string, string[]> = {};
    for (const [name, path] of Object.entries(addresses)) {
      const visit = await site.visit(form);
      await visit.page.goto(path);
      if (!withoutScript.has(name)) await visit.settled();
      const faults = await violations(visit);
      if (faults.length > 0) found[name] = faults;
      await visit.page.context().close();
    }
    expect(found).toEqual({});
  });
});
