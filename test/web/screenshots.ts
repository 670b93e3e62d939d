/**
 * `npm run screenshots`: saves every page in every form, from the real service, to `screenshots/`,
 * and the two in the README to `docs/`. Arguments after `--`: names of pages, or `readme`, to save
 * only those.
 */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findChromium } from '#testing';
import type { Page } from 'playwright-core';
import { Site } from './browser.ts';
import { eventRecord, scalarValue, versionRecord } from '../../apps/standalone/src/demo/event-record.ts';
import { sweep, writeTrainings } from './logs.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'screenshots');
const logs = join(root, 'test/data/logs');

const forms = {
  light: { width: 1600, height: 1000 },
  dark: { width: 1600, height: 1000, dark: true },
  wide: { width: 2560, height: 1300 },
  phone: { width: 390, height: 844, scale: 2 },
  'phone-dark': { width: 390, height: 844, scale: 2, dark: true },
} as const;

/** Actions on a page before its screenshot, by page name. */
const openings: Record<string, (page: Page) => Promise<void>> = {
  share: async (page) => {
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('for the reviewers').waitFor();
  },
  'share-logs': async (page) => {
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('checkbox', { name: 'Include logs' }).check();
  },
  notes: async (page) => {
    await page.getByRole('button', { name: 'Notes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).waitFor();
  },
  'edit-notes': async (page) => {
    await page.getByRole('button', { name: 'Notes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
  },
  run: async (page) => {
    const runs = page.getByRole('button', { name: 'Runs', exact: true }); // On a phone.
    if (await runs.isVisible()) await runs.click();
    await page.getByRole('button', { name: 'About sweep/lr=0.01', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).waitFor();
  },
  locked: async (page) => {
    const box = (await page.locator('.u-over').first().boundingBox())!;
    await page.mouse.click(box.x + box.width * 0.4, box.y + box.height * 0.5);
    await page.locator('.tooltip.on').first().waitFor();
  },
  'new-token': (page) => page.getByRole('button', { name: 'New token' }).click(),
  invite: (page) => page.getByRole('button', { name: 'Invite' }).click(),
  'share-report': async (page) => {
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('for the group').waitFor();
  },
  menu: (page) => page.getByRole('button', { name: /^Workspace/ }).click(),
};

/** Measurements of a machine with two GPUs, every ten seconds. */
function systemValues(i: number) {
  const near = (mean: number, spread: number): number => mean + spread * Math.sin(i * 1.7) * Math.cos(i / 23);
  const gpus = [0, 1].flatMap((gpu): [string, number][] => [
    [`gpu/${gpu}/percent`, near(91 - gpu * 6, 8)],
    [`gpu/${gpu}/memory_used_gib`, 17.2 + gpu],
    [`gpu/${gpu}/watts`, near(262, 30)],
  ]);
  const values: [string, number][] = [
    ['cpu/percent', near(38, 12)],
    ['memory/used_gib', 21 + i / 90],
    ['process/memory_gib', 6 + i / 120],
    ['disk/read_mib_per_second', near(140, 120)],
    ['network/sent_mib_per_second', near(1.2, 1)],
    ...gpus,
  ];
  return values.map(([name, value]) => scalarValue(`system/${name}`, value));
}

/** In the page: every image in view has loaded. */
const picturesThere = `[...document.images].every((image) => image.complete || image.getBoundingClientRect().top > innerHeight)`;

/** Sequences that color the first lines of an epoch in the log. */
const logColors = [
  '\u001b[1m',
  '\u001b[32m',
  '\u001b[33mUserWarning: ',
  '\u001b[31mError: ',
  '\u001b[34m',
  '\u001b[35m',
  '\u001b[36m',
  '\u001b[2m',
];

/** Pages without a script. */
const withoutScript = new Set(['not-found', 'sessions', 'workspaces', 'device']);

const only = process.argv.slice(2);
const isWanted = (name: string): boolean => only.length === 0 || only.includes(name);

const part = await findChromium();
if ('missing' in part) throw new Error(part.missing);
if (only.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const site = await Site.start(part.found);
try {
  const empty = await site.visit(forms.light);
  await empty.open('/');
  await empty.page.screenshot({ path: join(folder, 'no-experiments-light.png') });

  await writeTrainings(site.folder('sweep'), sweep);
  const upload = async (logdir: string, name: string, about = ''): Promise<string> =>
    (await site.upload(logdir, '--name', name, '--description', about)).experiment_id;
  const torch = await upload(join(logs, 'torch'), 'torch');
  const tf2 = await upload(join(logs, 'tf2_summaries'), 'tf2 summaries');
  const tf1 = await upload(join(logs, 'tf1_legacy'), 'tf1 legacy');
  const keras = await upload(join(logs, 'keras_hparams'), 'keras hparams');
  const rates = await upload(site.folder('sweep'), 'Learning rates', 'Six learning rates of a small convolutional network on digits');
  await writeTrainings(
    site.folder('again'),
    sweep.map((training) => ({ ...training, seed: training.seed + 100 })),
  );
  const again = await upload(site.folder('again'), 'Learning rates, other seeds');
  // Uses the build: its libraries have decorators, which Node cannot run directly.
  const writeDemo = `import('./dist/apps/standalone/src/demo/sample-logs.js').then((demo) => demo.writeSampleLogs(process.argv[1]))`;
  await promisify(execFile)(process.execPath, ['-e', writeDemo, site.folder('demo')], { cwd: root });
  await writeFile(
    join(site.folder('demo'), 'vit-sweep', 'lr=0.001,opt=adamw,wd=0.05', 'output.1795261058.gpu-1.4711.0.rank0.plotline.log'),
    Array.from(
      { length: 4_000 },
      (_, i) => `${logColors[i % 40] ?? ''}epoch ${Math.floor(i / 40)} step ${i} loss ${(2 / (1 + i / 500)).toFixed(4)}\u001b[0m\n`,
    ).join(''),
  );
  await writeFile(
    join(site.folder('demo'), 'vit-sweep', 'lr=0.001,opt=adamw,wd=0.05', 'events.out.tfevents.1795261058.gpu-1.system'),
    Buffer.concat([
      versionRecord(1_795_261_058),
      ...Array.from({ length: 360 }, (_, i) => eventRecord(1_795_261_058 + i * 10, i * 10, systemValues(i))),
    ]),
  );
  const demo = await upload(join(site.folder('demo'), 'vit-sweep'), 'vit-sweep');
  const write = (id: string, body: object, path = ''): Promise<unknown> =>
    site.service.fetch(`/experiments/${id}${path}`, { method: 'PATCH', body: JSON.stringify(body) });
  await write(rates, {
    labels: ['baseline', 'paper'],
    notes:
      '## What we saw\n\n- rates above **0.03** diverge\n- `lr=0.01` is what we go on with\n\n| rate | accuracy |\n|---|---|\n| 0.01 | 0.94 |\n| 0.03 | 0.92 |',
  });
  await write(rates, { runs: ['sweep/lr=0.01'], labels: ['best'], notes: 'Used in the paper.' }, '/runs');
  await write(rates, { runs: ['sweep/lr=0.0003'], archived: true }, '/runs');
  await write(again, { labels: ['baseline'] });
  for (const name of ['notebook', 'training on the cluster']) await site.service.json('/tokens', { name });
  await site.service.json(`/experiments/${rates}/share-links`, { name: 'for the reviewers', runs: ['sweep/lr=0.01'], anonymous: true });
  await site.service.json('/invitations', { role: 'viewer' });
  const block = (address: string, caption = ''): string => `\`\`\`plotline\n${address}\n${caption}\n\`\`\``;
  const report = await site.service.json<{ id: string }>('/reports', {
    title: 'Which learning rate?',
    body: [
      'Six rates on digits. **0.01** is the one to continue with: its loss falls fastest.',
      '## Loss',
      block(`/e/${rates}?card=train%2Floss&smoothing=0.8`, 'Training loss, smoothed.'),
      block(`/e/${rates}?tagFilter=accuracy`),
      '| rate | accuracy |\n|---|---|\n| 0.01 | 0.94 |\n| 0.03 | 0.92 |',
      '## All runs',
      block(`/e/${rates}?tab=runs`),
      '## Samples',
      block(`/e/${torch}?tab=images`),
    ].join('\n\n'),
  });
  await site.service.json('/reports', { title: 'Warmup', body: block(`/e/${again}?card=train%2Floss`) });
  await site.service.json(`/reports/${report.id}/share-links`, { name: 'for the group', expires_in_days: null });
  const pages: Record<string, string> = {
    share: `/e/${rates}`,
    notes: `/e/${rates}`,
    'edit-notes': `/e/${rates}`,
    run: `/e/${rates}`,
    menu: '/',
    reports: '/reports',
    report: `/reports/${report.id}`,
    'report-editor': `/reports/${report.id}/edit`,
    'share-report': `/reports/${report.id}`,
    members: '/members',
    invite: '/members',
    tokens: '/tokens',
    'new-token': '/tokens',
    usage: '/usage',
    sessions: '/sessions',
    workspaces: '/workspaces',
    device: '/device',
    experiments: '/',
    experiment: `/e/${rates}`,
    locked: `/e/${rates}`,
    panels: `/e/${rates}?panel=${encodeURIComponent('{"tags":["train/loss","validation/loss"]}')}&panel=${encodeURIComponent('{"match":"gradients/.*"}')}&run=sweep/lr%3D0.01`,
    'heat-map': `/e/${rates}?panel=${encodeURIComponent('{"match":"gradients/.*","heatMap":{"scale":"log"}}')}&wide=${encodeURIComponent('{"match":"gradients/.*"}')}`,
    sections: `/e/${demo}`,
    zoomed: `/e/${rates}?from=400&to=700&smoothing=0.8`,
    chart: `/e/${rates}?card=train%2Floss`,
    arranged: `/e/${rates}?wide=train%2Floss&order=train%2Floss`,
    groups: `/e/${rates}?runColorGroup=regex:lr%3D(0%5C.0)&spread=std&tagFilter=train`,
    'sorted-runs': `/e/${rates}?runSort=last:validation/loss`,
    distributions: `/e/${torch}?tab=histograms`,
    overlay: `/e/${torch}?tab=histograms&histograms=overlay&tagFilter=weights`,
    percentiles: `/e/${torch}?tab=histograms&histograms=percentiles&tagFilter=weights`,
    images: `/e/${torch}?tab=images`,
    'images-grid': `/e/${torch}?tab=images&images=grid`,
    'images-compared': `/e/${tf2}?tab=images&image=${encodeURIComponent('["alpha/rgb u8","runs/näive run/eval"]')}&imageWith=${encodeURIComponent('["runs/näive run/eval",0]')}&imageComparison=difference`,
    audio: `/e/${tf2}?tab=audio`,
    waveforms: `/e/${tf2}?tab=audio&waveforms=true`,
    text: `/e/${tf2}?tab=text`,
    'text-diff': `/e/${tf2}?tab=text&textDiff=previous`,
    'pr-curves': `/e/${tf2}?tab=pr_curves`,
    meshes: `/e/${tf2}?tab=meshes`,
    hparams: `/e/${keras}?tab=hparams`,
    runs: `/e/${demo}?tab=runs`,
    'run-page': `/e/${demo}/r/${encodeURIComponent('lr=0.001,opt=adamw,wd=0.05')}`,
    'runs-sorted': `/e/${demo}?tab=runs&sort=-m:val/accuracy&pin=h:learning_rate&where=status%20finished`,
    'runs-plot': `/e/${demo}?tab=runs&plotX=h:learning_rate&plotY=m:val/accuracy&plotXScale=log&plotColor=h:optimizer`,
    'runs-boxes': `/e/${demo}?tab=runs&plotX=h:optimizer&plotY=m:val/accuracy&plotColor=m:val/loss`,
    'runs-parallel': `/e/${demo}?tab=runs&plotAxis=h:learning_rate&plotAxis=h:optimizer&plotAxis=m:val/accuracy&plotColor=m:val/accuracy`,
    'runs-importance': `/e/${demo}?tab=runs&importance=m:val/accuracy`,
    'runs-at-step': `/e/${demo}?tab=runs&column=m:val/accuracy&column=at:200:val/accuracy&column=${encodeURIComponent('at_min:["val/accuracy","val/loss"]')}`,
    'runs-grouped': `/e/${demo}?tab=runs&group=h:learning_rate&group=h:optimizer&sort=-m:val/accuracy`,
    logs: `/e/${demo}?tab=logs`,
    system: `/e/${demo}?tab=system`,
    'share-logs': `/e/${demo}`,
    graph: `/e/${tf1}?tab=graphs&open=alpha_net%2F`,
    'graph-time': `/e/${tf1}?tab=graphs&graph=color%3Dtime`,
    other: `/e/${tf2}?tab=other`,
    compared: `/e/${rates}?compare=${again}&runFilter=0%5C.0[13]$&tooltipSort=descending`,
    conditions: `/e/${rates}?where=m%253Atrain%252Faccuracy%20%3E%200.9`,
    embedded: `/e/${rates}?embed=true&card=train%2Floss`,
    'not-found': '/e/0000000000000000000000',
    'nothing-matches': `/e/${rates}?tagFilter=nothing`,
  };
  for (const [form, options] of Object.entries(forms))
    for (const [name, path] of Object.entries(pages)) {
      if (!isWanted(name)) continue;
      const visit = await site.visit(options);
      // Compared experiments load later.
      const others = name === 'compared' ? visit.page.waitForResponse(new RegExp(`${again}/tags`)) : null;
      await visit.page.goto(path);
      await others;
      if (!withoutScript.has(name)) await visit.settled();
      await openings[name]?.(visit.page);
      // Each check is a new evaluation, because the page's policy forbids evaluating text from
      // within the page.
      while (!(await visit.page.evaluate<boolean>(picturesThere))) await visit.page.evaluate('new Promise(requestAnimationFrame)');
      await visit.page.screenshot({ path: join(folder, `${name}-${form}.png`) });
      for (const fault of visit.faults) if (!withoutScript.has(name)) process.stderr.write(`${name}, ${form}: ${fault}\n`);
      await visit.page.context().close();
    }
  for (const theme of isWanted('readme') ? (['light', 'dark'] as const) : []) {
    const visit = await site.visit({ width: 1120, height: 640, dark: theme === 'dark' });
    await visit.open(`/e/${rates}?tagFilter=loss|accuracy&smoothing=0.9`);
    await visit.page.screenshot({ path: join(root, `docs/experiment-${theme}.png`) });
  }
  process.stdout.write(`the screenshots are in ${folder}\n`);
} finally {
  await site.close();
}
