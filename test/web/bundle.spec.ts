import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '#testing';
import type { SeriesJson } from '#charts';
import { selectScalars } from '../../apps/web/src/stored/stored-scalars.ts';
import { Cli } from '../e2e/service.ts';
import { logDirectory } from '../logs/log-directories.ts';
import { Site, Visit } from './browser.ts';
import { sweep, writeTrainings } from './logs.ts';
import { serveFolder } from './serve-folder.ts';
import { violations } from './violations.ts';

const logName = 'output.1795000000.host.7.0.plotline.log';
/** More than one part of a log, with a truncated line, and a line to search for. */
const logLines = Array.from({ length: 12_000 }, (_, i) =>
  i === 6_999 ? 'WARNING: loss is NaN' : i === 11_998 ? `\u001b[31m${'x'.repeat(20_000)}` : `step ${i + 1} </script> loss 0.5`,
);

/** Set this variable to a folder to save pictures of the pages. */
const shots = process.env.EXPORTS_SHOTS;

describeWith(['chromium'], 'a bundle', () => {
  let site: Site;
  let cli: Cli;
  const ids = new Map<string, string>();
  const results = new Map<string, { readonly left_out: unknown; readonly logs: number; readonly logs_left_out: unknown }>();
  const servers: { readonly close: () => Promise<void> }[] = [];
  const addresses = new Map<string, { readonly http: string; readonly file: string }>();
  const bundleOf = (name: string): string => site.folder(`bundle-${name}`);

  beforeAll(async () => {
    site = await Site.start();
    cli = new Cli(site.service, site.folder('state'));
    await writeTrainings(site.folder('sweep'), sweep.slice(0, 3));
    await writeTrainings(site.folder('printed'), sweep.slice(0, 1));
    for (const [of, lines] of [
      ['sweep', ['host-of-a-log']],
      ['printed', logLines],
    ] as const)
      await writeFile(join(site.folder(of), sweep[0]!.run, logName), lines.map((line) => `${line}\n`).join(''));
    for (const [name, logdir, ...flags] of [
      ['sweep', site.folder('sweep')],
      ['printed', site.folder('printed'), '--logs'],
      ['tf2_summaries', await logDirectory('tf2_summaries')],
      ['tf1_legacy', await logDirectory('tf1_legacy')],
    ] as const) {
      const { experiment_id: id } = await site.upload(logdir, '--name', name);
      ids.set(name, id);
      results.set(name, await cli.json('export', id, '--format', 'bundle', '--outdir', bundleOf(name), ...flags));
      const { origin, close } = await serveFolder(bundleOf(name), "default-src 'self'");
      servers.push({ close });
      addresses.set(name, { http: `${origin}/index.html`, file: pathToFileURL(join(bundleOf(name), 'index.html')).href });
    }
  });
  afterAll(async () => {
    for (const { close } of servers) await close();
    await site?.close();
  });

  /** Opens a window on a bundle: no request leaves its folder. */
  const open = async (name: string, way: 'http' | 'file', hash = ''): Promise<Visit> => {
    const address = addresses.get(name)![way];
    const { page } = await site.visit({ stranger: true, width: 1280, height: 900 });
    const visit = Visit.begin(page, new URL(address).origin);
    await visit.open(`${address}${hash === '' ? '' : `#/e/${ids.get(name)}${hash}`}`);
    return visit;
  };

  it('of a report shows its text and its blocks, and leads to its experiments', async () => {
    const block = (address: string): string => `\`\`\`plotline\n${address}\n\`\`\``;
    const sweepId = ids.get('sweep')!;
    const { id: gone } = await site.service.json<{ id: string }>('/experiments', { name: 'gone' });
    const body = [
      'It *falls*.',
      block(`${site.service.url}/e/${sweepId}?card=train%2Floss`),
      block(`/e/${sweepId}?tab=runs`),
      block(`/e/${ids.get('tf2_summaries')}?tab=images`),
      block(`/e/${sweepId}?card=validation%2Floss&compare=${ids.get('printed')}`),
      block(`/e/${gone}`),
    ].join('\n\n');
    const { id } = await site.service.json<{ id: string }>('/reports', { title: 'Which <rate>?', body });
    await site.service.fetch(`/experiments/${gone}`, { method: 'DELETE' });
    const folder = bundleOf('report');
    const done = await cli.json('export', `${site.service.url}/reports/${id}`, '--format', 'bundle', '--outdir', folder);
    expect(done).toMatchObject({ report_id: id, experiments: 3, missing: [gone] });
    const index = JSON.stringify(await part(folder, 'index'));
    for (const secret of [`${hostname()}:/`, site.service.url, site.folder(''), 'Owner']) expect(index).not.toContain(secret);
    const { origin, close } = await serveFolder(folder, "default-src 'self'");
    servers.push({ close });
    for (const address of [`${origin}/index.html`, pathToFileURL(join(folder, 'index.html')).href]) {
      const { page } = await site.visit({ stranger: true, width: 1280, height: 900 });
      const visit = Visit.begin(page, new URL(address).origin);
      await visit.open(address);
      await page.getByRole('heading', { level: 1, name: 'Which <rate>?' }).waitFor();
      const blocks = page.locator('.report-block');
      await expect.poll(() => blocks.count()).toBe(5);
      await blocks.nth(0).locator('.card.large canvas').first().waitFor();
      await expect.poll(() => blocks.nth(1).locator('tbody tr').count()).toBe(3);
      await blocks.nth(2).scrollIntoViewIfNeeded();
      await expect
        .poll(() =>
          blocks
            .nth(2)
            .locator('img')
            .first()
            .evaluate((image) => image.naturalWidth),
        )
        .toBeGreaterThan(0);
      await blocks.nth(3).scrollIntoViewIfNeeded();
      await blocks.nth(3).locator('canvas').first().waitFor();
      await expect.poll(() => blocks.nth(3).locator('.report-foot').innerText()).toContain('printed');
      await blocks.nth(4).getByText('This experiment was deleted').waitFor();
      expect(await page.locator('.report-text').innerText()).not.toContain('Live');
      for (const name of ['Share', 'Delete Which <rate>?']) expect(await page.getByRole('button', { name }).count()).toBe(0);
      expect(visit.faults).toEqual([]);
      if (address.startsWith('http')) expect(await violations(visit)).toEqual([]);
      await blocks.nth(1).getByRole('link', { name: 'sweep', exact: true }).click();
      await page.locator('main table tbody tr').first().waitFor();
      expect(new URL(page.url()).hash).toBe(`#/e/${sweepId}?tab=runs`);
      await page.reload();
      await page.locator('main table tbody tr').first().waitFor();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Which <rate>?' }).waitFor();
      if (shots) await page.screenshot({ path: `${shots}/bundle-report-${address.slice(0, 4)}.png` });
    }
  });

  it('has less than 2 MB of code, and names no person, host or command', async () => {
    const folder = bundleOf('sweep');
    let code = 0;
    for (const file of await readdir(folder, { withFileTypes: true }))
      if (file.isFile()) code += (await stat(join(folder, file.name))).size;
    expect(code).toBeLessThan(2_000_000);
    const index = JSON.stringify(await part(folder, 'index'));
    for (const secret of [`${hostname()}:/`, site.service.url, site.folder(''), logName]) expect(index).not.toContain(secret);
    for (const file of await readdir(join(folder, 'data')))
      expect((await readFile(join(folder, 'data', file))).includes('host-of-a-log'), file).toBe(false);
    for (const field of ['"person"', '"host"', '"source"', '"notes"', '"owner"'])
      expect(index.match(new RegExp(`${field}:(?!null)`, 'g')), field).toBeNull();
  });

  it('names what it leaves out', () => {
    expect(results.get('tf1_legacy')).toMatchObject({ left_out: [], logs: 0, logs_left_out: [] });
    expect(results.get('printed')).toMatchObject({ logs: 1, logs_left_out: [] });
  });

  it('has the values of the API, with moving averages, ranges and another tag as x', async () => {
    for (const [name, id] of ids) {
      const index = await part<{ parts: Record<string, string> }>(bundleOf(name), 'index');
      const stored = new Map<string, readonly SeriesJson[]>();
      for (const [key, file] of Object.entries(index.parts)) {
        const [kind, , tag] = JSON.parse(key) as [string, string, string];
        if (kind === 'scalars') stored.set(tag, (await part<{ series: SeriesJson[] }>(bundleOf(name), file)).series);
      }
      const { tags } = await site.service.json<{ tags: { tag: string; data_class: string }[] }>(`/experiments/${id}/tags?page_size=1000`);
      expect([...stored.keys()].sort()).toEqual(
        [...new Set(tags.filter((one) => one.data_class === 'scalar').map(({ tag }) => tag))].sort(),
      );
      const x = [...stored.keys()][0]!;
      for (const [tag, series] of stored)
        for (const body of [{}, { smoothing: 0.6 }, { steps: { from: 3, to: 200 } }, { x }]) {
          const response = await site.service.fetch(`/experiments/${id}/scalars/query`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              tags: [tag],
              points: 10_000,
              columns: ['step', 'wall_time', 'value', ...('smoothing' in body ? ['smoothed'] : []), ...('x' in body ? ['x'] : [])],
              ...body,
            }),
          });
          const result = (await response.json()) as { series: SeriesJson[] };
          const own = selectScalars(series, body, 'x' in body ? stored.get(x)! : null);
          expect([name, tag, body, own.map(shown).sort()]).toEqual([name, tag, body, result.series.map(shown).sort()]);
        }
    }
  });

  describe.each(['http', 'file'] as const)('opened by %s', (way) => {
    it('shows the same charts as the page, with the same numbers', async () => {
      const own = await open('sweep', way, '?smoothing=0.5&tagFilter=validation');
      const page = await site.visit({ width: 1280, height: 900 });
      await page.open(`/e/${ids.get('sweep')}?smoothing=0.5&tagFilter=validation`);
      for (const tag of ['validation/loss', 'validation/accuracy']) {
        const note = (visit: Visit) => visit.card(tag).locator('.card-note').textContent();
        expect(await note(own)).toBe(await note(page));
        for (const at of [0.1, 0.5, 0.9]) expect(await readAt(own, tag, at)).toEqual(await readAt(page, tag, at));
      }
      expect(own.faults).toEqual([]); // axe itself reads the style sheets, which `file://` does not allow
      expect(await violations(own)).toEqual([]);
      if (shots) await own.page.screenshot({ path: `${shots}/bundle-${way}.png` });
    });

    it('shows the runs table, sorted', async () => {
      const visit = await open('sweep', way, '?tab=runs');
      const rows = visit.page.locator('main table tbody tr');
      await expect.poll(() => rows.count()).toBe(3);
      const texts = (of: Visit) => of.page.locator('main table tbody tr').allInnerTexts();
      const page = await site.visit({ width: 1280, height: 900 });
      for (const sort of ['', '-m%3Avalidation%2Floss', 'name']) {
        for (const [on, address] of [
          [visit, `${addresses.get('sweep')![way]}#/e/${ids.get('sweep')}?tab=runs&sort=${sort}`],
          [page, `/e/${ids.get('sweep')}?tab=runs&sort=${sort}`],
        ] as const) {
          await on.page.goto('about:blank');
          await on.open(address);
          await expect.poll(() => on.page.locator('main table tbody tr').count()).toBe(3);
        }
        expect([sort, (await texts(visit)).map(withoutBoxes)]).toEqual([sort, (await texts(page)).map(withoutBoxes)]);
      }
      await visit.page.getByLabel('Filter runs by regular expression').fill('0.001');
      await expect.poll(() => rows.count()).toBe(1);
      expect(visit.faults).toEqual([]);
      expect(await violations(visit)).toEqual([]);
      if (shots) await visit.page.screenshot({ path: `${shots}/bundle-runs-${way}.png` });
    });

    it('shows images, texts and distributions', async () => {
      const visit = await open('tf2_summaries', way, '?tab=images');
      await visit.page.locator('.picture img').first().waitFor();
      const widths = () => visit.page.locator('.picture img').evaluateAll((list) => list.map((one) => one.naturalWidth as number));
      await expect.poll(async () => (await widths()).length > 0 && (await widths()).every((width) => width > 0)).toBe(true);
      if (shots) await visit.page.screenshot({ path: `${shots}/bundle-images-${way}.png` });
      await visit.page.getByRole('link', { name: 'Text' }).click();
      await visit.page.locator('.markdown strong').first().waitFor();
      await visit.page.getByRole('link', { name: 'Distributions' }).click();
      await visit.page.locator('path.step').first().waitFor();
      expect(visit.faults).toEqual([]);
      for (const tab of ['Images', 'Text', 'Distributions']) {
        await visit.page.getByRole('link', { name: tab }).click();
        await visit.settled();
        expect([tab, await violations(visit)]).toEqual([tab, []]);
      }
      if (shots) await visit.page.screenshot({ path: `${shots}/bundle-tf2-${way}.png` });
    });

    it.each(['tf1_legacy', 'tf2_summaries'])('shows the graphs of %s as the page does', async (name) => {
      const page = await site.visit({ width: 1280, height: 900 });
      await page.open(`/e/${ids.get(name)}?tab=graphs`);
      const own = await open(name, way, '?tab=graphs');
      const choices = own.page.locator('.toolbar select').first().locator('option');
      await own.page.locator('.part').first().waitFor();
      for (const [i, label] of (await choices.allInnerTexts()).entries()) {
        const texts: string[][] = [];
        for (const visit of [own, page]) {
          const choice = visit.page.locator('.toolbar select').first();
          await expect.poll(() => choice.locator('option').allInnerTexts()).toContain(label);
          await choice.selectOption({ index: i });
          const drawing = visit.page.locator('main.graph[aria-busy=false]');
          await drawing.waitFor();
          texts.push([await drawing.innerText(), ...(await visit.page.locator('.toolbar select').allInnerTexts())]);
        }
        expect(texts[0]).toEqual(texts[1]);
      }
      expect(own.faults).toEqual([]);
      expect(await violations(own)).toEqual([]);
      if (shots) await own.page.screenshot({ path: `${shots}/bundle-graph-${name}-${way}.png` });
    });

    it('shows the logs of runs as the page does, and searches them', async () => {
      const page = await site.visit({ width: 1280, height: 900 });
      await page.open(`/e/${ids.get('printed')}?tab=logs`);
      const own = await open('printed', way, '?tab=logs');
      for (const visit of [own, page]) {
        const { page: window } = visit;
        await expect.poll(() => window.locator('.log-line').last().innerText()).toContain(logLines.at(-1)!);
        await window.locator('.log-line .ansi-red').waitFor();
      }
      // A member's page has a taller header, and therefore fewer lines.
      const seen = (visit: Visit) => visit.page.locator('.log-line').allInnerTexts();
      const [lines, more] = [await seen(page), await seen(own)];
      expect(lines.length).toBeGreaterThan(10);
      expect(more.slice(-lines.length)).toEqual(lines);
      await own.page.getByLabel('Search the log').fill('loss IS nan');
      await own.page.keyboard.press('Enter');
      await expect.poll(() => own.page.locator('.log-line.marked').innerText()).toContain('WARNING: loss is NaN');
      expect(await own.page.locator('.log-line.marked').getAttribute('data-line')).toBe('7000');
      expect(await own.page.locator('a[download]').count()).toBe(0);
      expect(own.faults).toEqual([]);
      expect(await violations(own)).toEqual([]);
      if (shots) await own.page.screenshot({ path: `${shots}/bundle-logs-${way}.png` });
    });

    it('has no logs unless they were requested', async () => {
      const visit = await open('sweep', way);
      await visit.card('validation/loss').waitFor();
      expect(await visit.page.getByRole('link', { name: 'Logs', exact: true }).count()).toBe(0);
    });
  });
});

/** Returns the content of one part of a bundle. */
async function part<T>(folder: string, name: string): Promise<T> {
  let found: unknown;
  runInNewContext(await readFile(join(folder, `data/${name}.js`), 'utf8'), {
    plotlinePart: (_: string, content: unknown) => (found = JSON.parse(JSON.stringify(content))),
  });
  return found as T;
}

/** Returns a series as text, which differs for different float64 values. */
function shown({ run, writer, columns }: SeriesJson): string {
  const numbers = Object.entries(columns)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, values]) => [name, values.map((value) => (Object.is(Number(value), -0) ? '-0' : String(Number(value))))]);
  return JSON.stringify([run, writer ?? null, numbers]);
}

/** Returns a row of the table without spaces, because members have checkboxes to select runs. */
function withoutBoxes(row: string): string {
  return row.replaceAll(/\s+/g, ' ').trim();
}

/** Returns the tooltip text at a position in a chart. */
async function readAt(visit: Visit, tag: string, x: number): Promise<string[]> {
  const box = (await visit.card(tag).locator('.u-over').boundingBox())!;
  await visit.page.mouse.move(box.x + x * box.width, box.y + box.height / 2, { steps: 3 });
  const tooltip = visit.page.locator('.tooltip.on');
  await tooltip.waitFor();
  return tooltip.locator('tbody tr:not([hidden])').allInnerTexts();
}
