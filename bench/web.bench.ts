import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { encodeEvent } from '#testing';
import { frameRecords } from '#records/testing';
import type { Bench, BenchContext } from './lib/bench.ts';
import { generateSweep } from './lib/generate-sweep.ts';
import { generateLogs, runName, tagNames } from './lib/generate-logs.ts';
import { defaultModel } from './lib/log-model.ts';
import { orUnavailable } from './peers/python.ts';
import { startTensorBoard } from './peers/tensorboard.ts';
import { multiplyRuns } from './lib/multiply-runs.ts';
import { withTemporaryFolder } from './lib/places.ts';
import { Database } from './lib/postgres.ts';
import type { Report, Row } from './lib/report.ts';
import { type EmbeddedService, startService, startUpload, upload } from './lib/service.ts';
import { median, quantile } from './lib/stats.ts';
import { tableRows } from './lib/web-table.ts';
import { framesAfter, freshPage, heapBytes, startBrowser, timeUntil, untilHolds } from './lib/web-browser.ts';

const charts = 12;
/** The script has hydrated the page, nothing is loading, and this many charts have their canvas. */
const drawn = (count: number): string =>
  `document.querySelector('#page[data-drawn]') && !document.querySelector('[aria-busy=true]') && document.querySelectorAll('.card .uplot').length >= ${count}`;
/** The same for TensorBoard: cards with a chart and without a spinner. */
const theirs = `[...document.querySelectorAll('scalar-card')].filter((card) => card.querySelector('line-chart') && !card.querySelector('mat-spinner')).length >= ${charts}`;

/**
 * Measures the page in a headless Chromium with an empty cache, interleaved with stock
 * TensorBoard's page for the same log.
 */
export const web: Bench = {
  name: 'web',
  summary:
    'the page in Chromium: first charts compared with TensorBoard, 1,000 runs, hover, zoom, smoothing, table of 10,000 runs, size, memory of live updates',
  flags: {
    rounds: { default: 5, help: 'page loads of each; 0: only the smoothing, the table and the live run' },
    runs: { default: 1_000, help: 'runs of the large experiment, of 10,000 steps each' },
    'smoothed-runs': { default: 25, help: `runs of the ${charts} charts whose smoothing changes; 0: skip` },
    'table-runs': { default: 10_000, help: 'rows of the runs table; 0: skip' },
    'live-minutes': { default: 60, help: 'how long the page follows a live run; 0: skip' },
    peers: { default: true, help: 'also measure TensorBoard' },
  },
  run: (context) =>
    withTemporaryFolder(async (folder) => {
      const service = await startService(join(folder, 'data'), { PLOTLINE_PRINT_SIGN_IN_LINK: 'always' });
      const browser = await startBrowser();
      try {
        const state = await signIn(browser, service);
        const rows: Row[] = [];
        const samples: Record<string, unknown> = {};
        if (context.number('rounds') > 0) {
          await firstCharts(context, { folder, service, browser, state }, rows, samples);
          await manyRuns(context, { folder, service, browser, state }, rows, samples);
        }
        if (context.number('smoothed-runs') > 0) await smoothedCharts(context, { folder, service, browser, state }, rows, samples);
        if (context.number('table-runs') > 0) await manyRows(context, { folder, service, browser, state }, rows, samples);
        if (context.number('live-minutes') > 0) await liveHeap(context, { folder, service, browser, state }, rows, samples);
        return {
          bench: 'web',
          parameters: { rounds: context.number('rounds'), runs: context.number('runs') },
          rows,
          samples,
        } satisfies Report;
      } finally {
        await browser.close();
        await service.stop();
      }
    }),
};

type State = NonNullable<Parameters<typeof freshPage>[1]>;

interface Parts {
  readonly folder: string;
  readonly service: EmbeddedService;
  readonly browser: Browser;
  readonly state: State;
}

async function signIn(browser: Browser, service: EmbeddedService): Promise<State> {
  const [link] = /http\S+\/sign-in\/\S+/.exec(service.running.output()) ?? [];
  if (!link) throw new Error('the service printed no sign-in link');
  const page = await freshPage(browser);
  await page.goto(link);
  const state = await page.context().storageState();
  await page.context().close();
  return state;
}

/** Measures a log of 20 runs × 20 tags × 5,000 steps. */
async function firstCharts(
  context: BenchContext,
  { folder, service, browser, state }: Parts,
  rows: Row[],
  samples: Record<string, unknown>,
): Promise<void> {
  const logs = join(folder, 'sweep');
  const { points } = generateLogs(logs, defaultModel);
  context.say(`uploading ${points} points`);
  const { receipt } = await upload(service, logs, points);
  const board = context.on('peers') ? await orUnavailable(() => startTensorBoard(logs, context.say), context.say) : null;
  const times = { seen: [] as number[], drawn: [] as number[], tensorboard: [] as number[] };
  let scriptBytes = 0;
  try {
    if (board) for (const run of [0, defaultModel.runs - 1]) await board.waitFor(runName(run), tagNames(20)[19]!, defaultModel.steps - 1);
    for (let round = 0; round < context.number('rounds'); round++) {
      context.say(`round ${round + 1}`);
      const page = await freshPage(browser, state);
      const seen = await timeUntil(page, `${service.origin}/e/${receipt.experiment_id}`, {
        seen: `document.querySelectorAll('.first-chart, .card .uplot').length >= ${charts} && performance.getEntriesByName('first-contentful-paint').length > 0`,
        drawn: drawn(charts),
      });
      times.seen.push(seen.seen);
      times.drawn.push(seen.drawn);
      scriptBytes = await page.evaluate<number>(
        `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
      );
      await page.context().close();
      if (!board) continue;
      const other = await freshPage(browser);
      times.tensorboard.push((await timeUntil(other, `${board.origin}/?darkMode=false#timeseries`, { charts: theirs })).charts);
      await other.context().close();
    }
  } finally {
    await board?.stop();
  }
  const theirMedian = times.tensorboard.length > 0 ? median(times.tensorboard) : null;
  const share = (ours: number): number | null => (theirMedian === null ? null : ours / theirMedian);
  rows.push(
    { measure: `first ${charts} charts seen`, value: median(times.seen), unit: 'ms', note: 'as rendered by the server' },
    { measure: `first ${charts} charts on canvases`, value: median(times.drawn), unit: 'ms', note: 'all runs, responding to the pointer' },
    { measure: 'the same in TensorBoard', value: theirMedian, unit: 'ms' },
    { measure: 'charts seen / TensorBoard', value: share(median(times.seen)), unit: '', atMost: 0.3 },
    { measure: 'charts on canvases / TensorBoard', value: share(median(times.drawn)), unit: '', atMost: 0.3 },
    { measure: 'script of the first view, compressed', value: scriptBytes / 1000, unit: 'kB', atMost: 180 },
  );
  samples['first_charts_ms'] = times;
}

/** Measures many runs of one tag, 10,000 steps each. */
async function manyRuns(
  context: BenchContext,
  { folder, service, browser, state }: Parts,
  rows: Row[],
  samples: Record<string, unknown>,
): Promise<void> {
  const logs = join(folder, 'many');
  const { points } = generateLogs(logs, { ...defaultModel, runs: context.number('runs'), tags: 1, steps: 10_000 });
  context.say(`uploading ${points} points of ${context.number('runs')} runs`);
  const { receipt } = await upload(service, logs, points);
  const url = `${service.origin}/e/${receipt.experiment_id}`;
  const opened: number[] = [];
  let page: Page | null = null;
  for (let round = 0; round < context.number('rounds'); round++) {
    await page?.context().close();
    page = await freshPage(browser, state);
    opened.push((await timeUntil(page, url, { drawn: drawn(1) })).drawn);
  }
  const over = page!.locator('.card .u-over').first();
  const box = (await over.boundingBox())!;
  const at = (x: number, y: number): [number, number] => [box.x + x * box.width, box.y + y * box.height];
  const hover = await framesAfter(page!, 'pointermove', async () => {
    for (let i = 0; i < 100; i++) {
      await page!.mouse.move(...at((i * 0.37) % 1, (i * 0.61) % 1));
      await delay(20);
    }
  });
  const smoothing = page!.locator('#smoothing');
  const redraw = await framesAfter(page!, 'input', async () => {
    for (let i = 0; i < 30; i++) {
      await smoothing.fill(String(((i * 7) % 99) / 100));
      await delay(100);
    }
  });
  const zoom: number[] = [];
  for (let round = 0; round < context.number('rounds'); round++) {
    await page!.mouse.move(...at(0.3 + round * 0.05, 0.5));
    await page!.mouse.down();
    await page!.mouse.move(...at(0.4 + round * 0.05, 0.52), { steps: 3 });
    const started = performance.now();
    await page!.mouse.up();
    await page!.waitForURL(/from=/);
    await untilHolds(page!, `!document.querySelector('[aria-busy=true]')`);
    zoom.push(performance.now() - started);
    await page!.getByText('Reset zoom').click();
    await untilHolds(page!, `!location.search.includes('from=') && !document.querySelector('[aria-busy=true]')`);
  }
  await page!.context().close();
  const runs = context.number('runs').toLocaleString('en-US');
  rows.push(
    { measure: `${runs} runs drawn`, value: median(opened), unit: 'ms', atMost: 2_000 },
    { measure: 'hover, p95', value: quantile(hover, 0.95), unit: 'ms', atMost: 50, note: 'from the event to the end of its frame' },
    { measure: 'redraw of loaded data, p95', value: quantile(redraw, 0.95), unit: 'ms', atMost: 50, note: 'another smoothing' },
    { measure: 'finer data after a zoom', value: median(zoom), unit: 'ms', atMost: 1_000 },
  );
  Object.assign(samples, { many_runs_ms: opened, hover_ms: hover, redraw_ms: redraw, zoom_ms: zoom });
}

/** Steps of the smoothing slider. */
const smoothingSteps = 60;

/**
 * Measures the steps of the smoothing slider, with the lines of many runs in all charts on the
 * screen.
 */
async function smoothedCharts(
  context: BenchContext,
  { folder, service, browser, state }: Parts,
  rows: Row[],
  samples: Record<string, unknown>,
): Promise<void> {
  const logs = join(folder, 'smoothed');
  const runs = context.number('smoothed-runs');
  const { points } = generateLogs(logs, { ...defaultModel, runs, tags: charts, steps: 1_000 });
  context.say(`uploading ${points} points of ${runs} runs`);
  const { receipt } = await upload(service, logs, points);
  const page = await freshPage(browser, state);
  await timeUntil(page, `${service.origin}/e/${receipt.experiment_id}`, { drawn: drawn(charts) });
  const slider = page.locator('#smoothing');
  const frames = await framesAfter(page, 'input', async () => {
    for (let i = 0; i < smoothingSteps; i++) {
      await slider.fill(String(((i * 7) % 99) / 100));
      await delay(100);
    }
  });
  await page.context().close();
  rows.push({
    measure: `smoothing of ${runs} runs in ${charts} charts, p95`,
    value: quantile(frames, 0.95),
    unit: 'ms',
    atMost: 60,
    note: 'from a step of the slider to the end of its frame',
  });
  samples['smoothing_ms'] = frames;
}

/**
 * Further runs are copied in the database, because each uploaded run costs its own transactions,
 * about 0.1 s of CPU time.
 */
const maxUploaded = 200;

/**
 * Measures the runs table with many small runs, sorted and filtered, and the plot of these runs.
 */
async function manyRows(
  context: BenchContext,
  { folder, service, browser, state }: Parts,
  rows: Row[],
  samples: Record<string, unknown>,
): Promise<void> {
  const logs = join(folder, 'table');
  const runs = context.number('table-runs');
  const uploaded = Math.min(runs, maxUploaded);
  const points = generateSweep(logs, { runs: uploaded, steps: 12 });
  context.say(`uploading ${uploaded} small runs`);
  const { receipt } = await upload(service, logs, points);
  context.say(`copying them until there are ${runs}`);
  const database = await Database.open(service.dataFolder);
  try {
    await multiplyRuns(database, receipt.experiment_id, runs);
  } finally {
    await database.close();
  }
  const page = await freshPage(browser, state);
  const found = await tableRows(page, `${service.origin}/e/${receipt.experiment_id}`, runs);
  await page.context().close();
  rows.push(...found.rows);
  Object.assign(samples, found.samples);
}

/** Measures a page that follows a live run, with about one update per second. */
async function liveHeap(
  context: BenchContext,
  { folder, service, browser, state }: Parts,
  rows: Row[],
  samples: Record<string, unknown>,
): Promise<void> {
  const logs = join(folder, 'live');
  const { files } = generateLogs(logs, { ...defaultModel, runs: 4, tags: 20, steps: 200 });
  const { receipt } = await upload(service, logs, 4 * 20 * 200);
  const watching = startUpload(service, logs, ['--experiment', receipt.experiment_id]);
  const page = await freshPage(browser, state);
  await timeUntil(page, `${service.origin}/e/${receipt.experiment_id}`, { drawn: drawn(charts) });
  const heaps: number[] = [];
  try {
    const minutes = context.number('live-minutes');
    let step = 200;
    for (let minute = 0; minute < minutes; minute++) {
      const end = performance.now() + 60_000;
      for (; performance.now() < end; step++) {
        const scalars = Object.fromEntries(tagNames(20).map((tag, i) => [tag, Math.sin(step / 100 + i)]));
        for (const file of files) appendFileSync(file, frameRecords([encodeEvent({ step, wallTime: 1_780_000_000 + step, scalars })]));
        await delay(1_000);
      }
      heaps.push(await heapBytes(page));
      context.say(`minute ${minute + 1}: heap of ${(heaps.at(-1)! / 1e6).toFixed(1)} MB`);
    }
  } finally {
    await page.context().close();
    await watching.stop();
  }
  rows.push({
    measure: `heap after ${heaps.length} minutes of live updates / after the first`,
    value: heaps.at(-1)! / heaps[0]!,
    unit: '',
    atMost: 1.2,
  });
  samples['live_heap_bytes'] = heaps;
}
