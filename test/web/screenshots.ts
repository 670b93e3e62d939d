/** `npm run screenshots`: every page in every form, from the real service, into `screenshots/`; the two of the README into `docs/`. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findChromium } from '#testing';
import { Site } from './browser.ts';
import { sweep, writeTrainings } from './logs.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'screenshots');
const logs = join(root, 'test/data/logs');

const forms = {
  light: { width: 1280, height: 800 },
  dark: { width: 1280, height: 800, dark: true },
  wide: { width: 1600, height: 1000 },
  phone: { width: 390, height: 844, scale: 2 },
} as const;

const part = await findChromium();
if ('missing' in part) throw new Error(part.missing);
await rm(folder, { recursive: true, force: true });
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
  const pages: Record<string, string> = {
    experiments: '/',
    experiment: `/e/${rates}`,
    zoomed: `/e/${rates}?from=400&to=700&smoothing=0.8`,
    chart: `/e/${rates}?card=train%2Floss`,
    groups: `/e/${rates}?runColorGroup=regex:lr%3D(0%5C.0)&spread=std&tagFilter=train`,
    'sorted-runs': `/e/${rates}?runSort=last:validation/loss`,
    distributions: `/e/${torch}?tab=histograms`,
    overlay: `/e/${torch}?tab=histograms&histograms=overlay&tagFilter=weights`,
    percentiles: `/e/${torch}?tab=histograms&histograms=percentiles&tagFilter=weights`,
    images: `/e/${torch}?tab=images`,
    audio: `/e/${tf2}?tab=audio`,
    text: `/e/${tf2}?tab=text`,
    'pr-curves': `/e/${tf2}?tab=pr_curves`,
    hparams: `/e/${keras}?tab=hparams`,
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
      const visit = await site.visit(options);
      await visit.page.goto(path);
      if (name !== 'not-found') await visit.settled();
      await visit.page.screenshot({ path: join(folder, `${name}-${form}.png`) });
      if (name === 'experiment' && (form === 'wide' || form === 'dark'))
        await visit.page.screenshot({ path: join(root, `docs/experiment-${form === 'wide' ? 'light' : 'dark'}.png`) });
      for (const fault of visit.faults) if (name !== 'not-found') process.stderr.write(`${name}, ${form}: ${fault}\n`);
      await visit.page.context().close();
    }
  process.stdout.write(`${Object.keys(pages).length * Object.keys(forms).length + 1} pictures are in ${folder}\n`);
} finally {
  await site.close();
}
