import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { describeWith } from '#testing';
import { logDirectory } from '../logs/log-directories.ts';
import { Stage } from './stage.ts';
import { StockViewer } from './stock-viewer.ts';

/** Folder for screenshots: `CONFORMANCE_SHOTS`; none by default. */
const shots = process.env.CONFORMANCE_SHOTS;

interface Dashboard {
  /** Elements that exist once data is drawn. */
  readonly drawn: (page: Page) => Locator;
  /** Parts of URLs that the dashboard must request successfully. */
  readonly asks: readonly string[];
}

/** By the name in the URL of the stock TensorBoard page. */
const dashboards: Readonly<Record<string, Dashboard>> = {
  timeseries: {
    drawn: (page) => page.locator('scalar-card line-chart, image-card img, histogram-card tb-histogram').first(),
    asks: ['timeseries/tags', 'timeseries/timeSeries'],
  },
  scalars: { drawn: (page) => page.locator('tf-scalar-card svg').first(), asks: ['scalars/tags', 'scalars/scalars_multirun'] },
  images: {
    drawn: (page) => page.locator('tf-image-loader #main-image-container img').first(),
    asks: ['images/tags', 'images/individualImage'],
  },
  histograms: {
    drawn: (page) => page.locator('tf-histogram-loader svg .histogram').first(),
    asks: ['histograms/tags', 'histograms/histograms'],
  },
  distributions: {
    drawn: (page) => page.locator('tf-distribution-loader svg').first(),
    asks: ['distributions/tags', 'distributions/distributions'],
  },
  text: { drawn: (page) => page.locator('tf-text-loader tf-markdown-view').first(), asks: ['text/tags', 'text/text'] },
  graphs: { drawn: (page) => page.locator('tf-graph-scene g.node').first(), asks: ['graphs/info', 'graphs/graph'] },
  hparams: {
    drawn: (page) => page.locator('vaadin-grid, tf-hparams-table-view').first(),
    asks: ['hparams/experiment', 'hparams/session_groups'],
  },
};

describeWith(['tensorboard', 'chromium'], 'dashboards of stock TensorBoard, through the bridge', () => {
  let stage: Stage;
  let browser: Browser;
  let viewer: StockViewer;

  beforeAll(async () => {
    const part = inject('parts').chromium;
    if ('missing' in part) throw new Error(part.missing);
    if (shots) await mkdir(shots, { recursive: true });
    stage = await Stage.start();
    browser = await chromium.launch({
      executablePath: part.found,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const experiment = await stage.uploadNatively(await logDirectory('torch'));
    await stage.visible(experiment);
    viewer = await stage.view(experiment);
  });
  afterAll(async () => {
    await viewer?.stop();
    await browser?.close();
    await stage?.dispose();
  });

  it.each(Object.entries(dashboards))(
    '%s opens, draws the uploaded data, and logs no error to its console',
    async (name, { drawn, asks }) => {
      const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
      try {
        const page = await context.newPage();
        const faults: string[] = [];
        const responded: string[] = [];
        page.on('console', (message) => {
          if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
        });
        page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
        page.on('request', (request) => {
          const url = new URL(request.url());
          if (url.origin !== viewer.origin && !['blob:', 'data:'].includes(url.protocol)) faults.push(`asked elsewhere: ${request.url()}`);
        });
        page.on('response', (response) => {
          const { pathname } = new URL(response.url());
          if (response.status() >= 400) faults.push(`${response.status()}: ${pathname}`);
          else responded.push(pathname);
        });
        await page.goto(`${viewer.origin}/#${name}`);
        await drawn(page).waitFor({ state: 'visible', timeout: 120_000 });
        await page.waitForLoadState('networkidle');
        if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
        expect(faults).toEqual([]);
        for (const part of asks)
          expect(
            responded.filter((path) => path.includes(part)),
            part,
          ).not.toEqual([]);
      } finally {
        await context.close();
      }
    },
  );
});
