import { join } from 'node:path';
import axe from 'axe-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { Site, type Visit } from './browser.ts';
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
      'one chart': `/e/${plain}?card=train%2Floss`,
      'an address of nothing': '/e/0000000000000000000000',
      ...Object.fromEntries(tabs.map((tab) => [tab, `/e/${all}?tab=${tab}`])),
    };
  });
  afterAll(() => site?.close());

  /** What axe finds; the content security policy lets nobody add scripts to a page, so it is run by the debugger. */
  async function violations(visit: Visit): Promise<string[]> {
    await visit.page.evaluate(axe.source);
    const { violations: found } = await visit.page.evaluate(() =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      }),
    );
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  }

  const forms = [
    { width: 1280, height: 800, dark: false },
    { width: 1280, height: 800, dark: true },
    { width: 390, height: 844, dark: false },
  ];

  it.each(forms)('every page (%o)', { timeout: 300_000 }, async (form) => {
    const found: Record<string, string[]> = {};
    for (const [name, path] of Object.entries(addresses)) {
      const visit = await site.visit(form);
      await visit.page.goto(path);
      if (name !== 'an address of nothing') await visit.settled();
      const faults = await violations(visit);
      if (faults.length > 0) found[name] = faults;
      await visit.page.context().close();
    }
    expect(found).toEqual({});
  });
});
