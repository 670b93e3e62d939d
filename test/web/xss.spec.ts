import { afterAll, beforeAll, expect, it } from 'vitest';
import { visibleText } from '#charts';
import { bytesField, describeWith, doubleField, type EventSpec, joinBytes, stringField, varintField } from '#testing';
import { Site, type Visit } from './browser.ts';
import { textValue, writeRun } from './logs.ts';
import { payloads } from './payloads.ts';

/** Folder names contain neither slashes nor NUL, and have at most 255 bytes. */
const folderName = (payload: string): string =>
  Buffer.from(payload.replaceAll(/[/\0]/g, '∕'))
    .subarray(0, 200)
    .toString()
    .replace(/\ufffd+$/, '');

/** Returns a scalar with the string as its description. */
function describedScalar(tag: string, text: string): Uint8Array {
  const metadata = joinBytes(bytesField(1, stringField(1, 'scalars')), stringField(2, text), stringField(3, text));
  const tensor = joinBytes(varintField(1, 2), bytesField(2, new Uint8Array()), bytesField(4, bytesOfDouble(1)));
  return joinBytes(stringField(1, tag), bytesField(8, tensor), bytesField(9, metadata));
}

function bytesOfDouble(value: number): Uint8Array {
  return doubleField(0, value).subarray(1);
}

/**
 * HParamsPluginData {session_start_info 3 {hparams 1: map of google.protobuf.Value (string 3)}}.
 */
function hparamsValue(pairs: readonly (readonly [string, string])[]): Uint8Array {
  const map = pairs.map(([name, value]) => bytesField(1, joinBytes(stringField(1, name), bytesField(2, stringField(3, value)))));
  const content = bytesField(3, joinBytes(...map));
  const metadata = bytesField(1, joinBytes(stringField(1, 'hparams'), bytesField(2, content)));
  return joinBytes(stringField(1, '_hparams_/session_start_info'), bytesField(9, metadata));
}

/** Returns a tensor of an unknown plugin with the string as its name. */
function unknownValue(tag: string, plugin: string): Uint8Array {
  const tensor = joinBytes(varintField(1, 2), bytesField(2, new Uint8Array()), bytesField(4, bytesOfDouble(1)));
  const metadata = joinBytes(bytesField(1, stringField(1, plugin)), varintField(4, 2));
  return joinBytes(stringField(1, tag), bytesField(8, tensor), bytesField(9, metadata));
}

const event = (...values: Uint8Array[]): EventSpec => ({
  step: 1,
  more: bytesField(5, joinBytes(...values.map((value) => bytesField(1, value)))),
});

/** Experiment names and labels have at most 100 characters, and no NUL. */
const shortName = (payload: string): string => Array.from(payload.replaceAll('\0', '')).slice(0, 100).join('');
const folderNames = [...new Set(payloads.map(folderName))];
const shortNames = [...new Set(payloads.map(shortName))];
/** Maximum number of labels per experiment. */
const maxLabels = 64;

describeWith(['chromium'], 'hostile text', () => {
  let site: Site;
  let id: string;
  /** Few runs and tags, so that they are in the page's HTML. */
  let few: string;

  beforeAll(async () => {
    site = await Site.start();
    const logdir = site.folder('hostile');
    for (const name of folderNames) await writeRun(logdir, name, [{ step: 1, scalars: { loss: 1 } }]);
    await writeRun(logdir, 'tags', [
      ...payloads.map((payload) => ({ step: 1, scalars: { [payload]: 1 } })),
      ...payloads.map((payload, i) => event(describedScalar(`described/${i}`, payload))),
      ...payloads.map((payload, i) => event(unknownValue(`unknown/${i}`, payload))),
    ]);
    await writeRun(
      logdir,
      'texts',
      payloads.map((payload, i) => event(textValue(`text/${i}`, payload, payload))),
    );
    for (let i = 0; i < payloads.length; i += 50)
      await writeRun(logdir, `trial ${i}`, [event(hparamsValue(payloads.slice(i, i + 50).map((payload) => [payload, payload])))]);
    id = (await site.upload(logdir, '--name', shortNames[0]!, '--description', payloads.join('\n').slice(0, 600))).experiment_id;
    for (const [i, name] of folderNames.slice(0, 20).entries())
      await writeRun(site.folder('few'), name, [{ step: 1, scalars: { [payloads[i]!]: 1 } }]);
    few = (await site.upload(site.folder('few'), '--new', '--name', shortNames[1]!)).experiment_id;
    const change = (path: string, body: unknown) => site.service.fetch(path, { method: 'PATCH', body: JSON.stringify(body) });
    const notes = payloads.map((payload) => payload.replaceAll('\0', '')).join('\n\n');
    const changes = [
      await change(`/experiments/${id}`, { notes: notes.slice(0, 20_000), labels: shortNames.slice(0, maxLabels) }),
      await change(`/experiments/${id}/runs`, { runs: ['tags'], notes: notes.slice(0, 2_000), labels: shortNames.slice(0, maxLabels) }),
    ];
    expect(changes.map(({ status }) => status)).toEqual([200, 204]);
    for (const [i, name] of shortNames.entries())
      await site.service.json('/experiments', {
        name,
        description: name,
        labels: i % maxLabels === 0 ? shortNames.slice(i, i + maxLabels) : [],
      });
  });
  afterAll(() => site?.close());

  /**
   * Scrolls a part of the page to its end, and collects its texts or an attribute while scrolling.
   */
  async function gather(visit: Visit, box: string, inner: string, attribute: string | null): Promise<Set<string>> {
    const found = new Set<string>();
    for (let top = 0, isEnd = false; !isEnd; top += 1_000) {
      await visit.page.locator(box).evaluate((element, to) => element.scrollTo(0, to), top);
      // Afterward, the page marks charts near the view.
      await visit.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await visit.settled();
      const texts = await visit.page
        .locator(inner)
        .evaluateAll((list, name) => list.map((one) => (name === null ? one.textContent : one.getAttribute(name))), attribute);
      for (const text of texts) if (text !== null) found.add(text);
      isEnd = await visit.page.locator(box).evaluate((element, to) => to + element.clientHeight >= element.scrollHeight, top);
    }
    return found;
  }

  async function look(query: string): Promise<Visit> {
    const visit = await site.visit({ width: 1600, height: 1400 });
    await visit.open(query);
    return visit;
  }

  async function hasRunNothing(visit: Visit): Promise<void> {
    expect(await visit.page.locator('main script, main iframe, main object, main style, aside script, aside iframe').count()).toBe(0);
    expect(await visit.page.locator('a[href^="javascript"], img[src^=http], [onerror], [onload], [onfocus]').count()).toBe(0);
    expect(visit.faults).toEqual([]);
  }

  /** Returns the strings that were not found. */
  const missing = (wanted: readonly string[], found: ReadonlySet<string>) => wanted.filter((text) => !found.has(text));

  it('is 300 texts', () => expect(new Set(payloads).size).toBe(300));

  it('as tags and their descriptions is shown, and runs nothing', { timeout: 600_000 }, async () => {
    const visit = await look(`/e/${id}?tagFilter=^(?!described/)`);
    const names = await gather(visit, 'main', 'main .card', 'aria-label');
    expect(missing(payloads.map(visibleText), names)).toEqual([]);
    await visit.page.getByLabel('Filter tags').fill('^described/');
    await visit.settled();
    const titles = await gather(visit, 'main', 'main .card h3', 'title');
    expect(
      missing(
        payloads.map((payload, i) => visibleText(`described/${i}: ${payload}`)),
        titles,
      ),
    ).toEqual([]);
    await hasRunNothing(visit);
  });

  it('as runs is shown, and runs nothing', { timeout: 300_000 }, async () => {
    const visit = await look(`/e/${id}?tagFilter=^described/1$`);
    const names = await gather(visit, '.runs-list', '.run .run-name', 'title');
    expect(missing(folderNames.map(visibleText), names)).toEqual([]);
    await hasRunNothing(visit);
  });

  it('as logged texts is shown, and runs nothing', { timeout: 600_000 }, async () => {
    const visit = await look(`/e/${id}?tab=text`);
    await visit.page.getByRole('button', { name: /^Show more of/ }).click();
    // All the strings contain this.
    const found = await gather(visit, 'main', 'article:has(.logged-text .markdown:has-text("elsewhere.test"))', 'aria-label');
    expect(
      missing(
        payloads.map((_, i) => `text/${i}`),
        found,
      ),
    ).toEqual([]);
    await hasRunNothing(visit);
  });

  it('as hyperparameters is shown, and runs nothing', { timeout: 300_000 }, async () => {
    const visit = await look(`/e/${id}?tab=hparams`);
    const heads = await gather(visit, 'main', '.hparams thead th button', 'title');
    const cells = await gather(visit, 'main', '.hparams tbody td', null);
    expect([missing(payloads.map(visibleText), heads), missing(payloads.map(visibleText), cells)]).toEqual([[], []]);
    await hasRunNothing(visit);
  });

  it('as plugins is shown, and runs nothing', { timeout: 300_000 }, async () => {
    const visit = await look(`/e/${id}?tab=other`);
    const cells = await gather(visit, 'main', 'main tbody td:nth-child(2)', null);
    expect(missing(payloads.map(visibleText), cells)).toEqual([]);
    await hasRunNothing(visit);
  });

  it('as notes and labels is shown, and runs nothing', async () => {
    const visit = await look(`/e/${id}?tagFilter=^described/1$&runFilter=^tags$`);
    const labels = () => visit.page.locator('dialog .label-line .label').allTextContents();
    const wanted = shortNames.slice(0, maxLabels).map(visibleText);
    await visit.page.getByRole('button', { name: 'Notes' }).click();
    await visit.page.locator('dialog .markdown').waitFor();
    expect(missing(wanted, new Set(await labels()))).toEqual([]);
    expect(await visit.page.locator('dialog .markdown').innerText()).toContain(payloads[1]);
    await visit.page.keyboard.press('Escape');
    await visit.page.locator('.run').first().hover();
    await visit.page.getByLabel('About tags').click();
    await visit.page.locator('dialog .markdown').waitFor();
    expect(missing(wanted, new Set(await labels()))).toEqual([]);
    expect(await visit.page.locator('dialog script, dialog iframe, dialog object, dialog style, dialog img').count()).toBe(0);
    await hasRunNothing(visit);
  });

  it('as names, descriptions and labels of experiments is shown, and runs nothing', async () => {
    const visit = await look('/');
    const names = visit.page.locator('td.title a');
    const older = visit.page.getByRole('button', { name: 'Show older' });
    for (let before = 0; (await older.count()) > 0;) {
      before = await names.count();
      await older.click();
      await expect.poll(() => names.count()).toBeGreaterThan(before);
    }
    const texts = async (inner: string) =>
      new Set(await visit.page.locator(inner).evaluateAll((list) => list.map((one) => one.textContent ?? '')));
    const wanted = shortNames.map(visibleText);
    expect(missing(wanted, await texts('td.title a'))).toEqual([]);
    expect(missing(wanted, await texts('td.title .about'))).toEqual([]);
    expect(missing(wanted, await texts('td.title button.label'))).toEqual([]);
    await hasRunNothing(visit);
  });

  it('runs nothing on the list of experiments, and in server-rendered HTML', async () => {
    for (const options of [{}, { scripts: false }, { held: true }])
      for (const path of ['/', `/e/${few}`]) {
        const visit = await site.visit(options);
        await visit.page.goto(path, { waitUntil: 'commit' });
        await visit.page.locator('h1').waitFor();
        expect(
          await visit.page.locator('#page script, body > :not(#page) iframe, #page iframe, #page object, #page style, #page img').count(),
        ).toBe(0);
        expect(visit.faults).toEqual([]);
      }
  });
});
