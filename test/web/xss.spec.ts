import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytesField, describeWith, doubleField, type EventSpec, joinBytes, stringField, varintField } from '#testing';
import { Site, type Visit } from './browser.ts';
import { writeRun } from './logs.ts';
import { payloads } from './payloads.ts';

/** Names of folders have neither slashes nor NUL, and 255 bytes at most. */
const folderName = (payload: string): string =>
  Buffer.from(payload.replaceAll(/[/\0]/g, '∕'))
    .subarray(0, 200)
    .toString()
    .replace(/\ufffd+$/, '');

/** A text as the plugin writes it: Value {tag 1, tensor 8 {dtype 1: DT_STRING, string_val 8}, metadata 9 {plugin_data 1 {name 1}, description 3}}. */
function textValue(tag: string, text: string): Uint8Array {
  const tensor = joinBytes(varintField(1, 7), bytesField(2, new Uint8Array()), stringField(8, text));
  const metadata = joinBytes(bytesField(1, stringField(1, 'text')), stringField(3, text));
  return joinBytes(stringField(1, tag), bytesField(8, tensor), bytesField(9, metadata));
}

/** A scalar whose description is the text. */
function describedScalar(tag: string, text: string): Uint8Array {
  const metadata = joinBytes(bytesField(1, stringField(1, 'scalars')), stringField(2, text), stringField(3, text));
  const tensor = joinBytes(varintField(1, 2), bytesField(2, new Uint8Array()), bytesField(4, bytesOfDouble(1)));
  return joinBytes(stringField(1, tag), bytesField(8, tensor), bytesField(9, metadata));
}

function bytesOfDouble(value: number): Uint8Array {
  return doubleField(0, value).subarray(1);
}

/** HParamsPluginData {session_start_info 3 {hparams 1: map of google.protobuf.Value (string 3)}}. */
function hparamsValue(pairs: readonly (readonly [string, string])[]): Uint8Array {
  const map = pairs.map(([name, value]) => bytesField(1, joinBytes(stringField(1, name), bytesField(2, stringField(3, value)))));
  const content = bytesField(3, joinBytes(...map));
  const metadata = bytesField(1, joinBytes(stringField(1, 'hparams'), bytesField(2, content)));
  return joinBytes(stringField(1, '_hparams_/session_start_info'), bytesField(9, metadata));
}

const event = (...values: Uint8Array[]): EventSpec => ({
  step: 1,
  more: bytesField(5, joinBytes(...values.map((value) => bytesField(1, value)))),
});

describeWith(['chromium'], 'hostile text', () => {
  let site: Site;
  let id: string;

  beforeAll(async () => {
    site = await Site.start();
    const logdir = site.folder('hostile');
    for (const payload of payloads.slice(0, 100)) await writeRun(logdir, folderName(payload), [{ step: 1, scalars: { loss: 1 } }]);
    await writeRun(logdir, 'tags', [
      ...payloads.map((payload) => ({ step: 1, scalars: { [payload]: 1 } })),
      ...payloads.map((payload, i) => event(describedScalar(`described/${i}`, payload))),
    ]);
    await writeRun(
      logdir,
      'texts',
      payloads.map((payload, i) => event(textValue(`text/${i}`, payload))),
    );
    for (let i = 0; i < payloads.length; i += 50)
      await writeRun(logdir, `trial ${i}`, [event(hparamsValue(payloads.slice(i, i + 50).map((payload) => [payload, payload])))]);
    const name = payloads[0]!.slice(0, 100);
    id = (await site.upload(logdir, '--name', name, '--description', payloads.join('\n').slice(0, 600))).experiment_id;
  });
  afterAll(() => site?.close());

  /** Looks at all of it, as far as it is scrolled to. */
  async function scroll(visit: Visit): Promise<void> {
    const tall = await visit.page.locator('main').evaluate((main) => main.scrollHeight);
    for (let top = 0; top < Math.min(tall, 12_000); top += 700) {
      await visit.page.locator('main').evaluate((main, to) => main.scrollTo(0, to), top);
      await visit.settled();
    }
  }

  it('is 300 texts', () => expect(new Set(payloads).size).toBe(300));

  it.each(['', '?tab=text', '?tab=hparams', '?tab=other'])('runs nothing and asks nobody else: %s', { timeout: 300_000 }, async (query) => {
    const visit = await site.visit({ width: 1600, height: 1400 });
    await visit.open(`/e/${id}${query}`);
    await scroll(visit);
    expect(await visit.page.locator('main script, main iframe, main object, main style, aside script').count()).toBe(0);
    expect(await visit.page.locator('a[href^="javascript"], img[src^=http], [onerror], [onload], [onfocus]').count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });

  it('runs nothing on the list of experiments, and in what the server draws', async () => {
    for (const options of [{}, { scripts: false }, { held: true }])
      for (const path of ['/', `/e/${id}`]) {
        const visit = await site.visit(options);
        await visit.page.goto(path, { waitUntil: 'commit' });
        await visit.page.locator('h1').waitFor();
        expect(
          await visit.page.locator('#page script, body > :not(#page) iframe, #page iframe, #page object, #page style, #page img').count(),
        ).toBe(0);
        expect(visit.faults).toEqual([]);
      }
  });

  it('shows every text that was logged', async () => {
    const visit = await site.visit({ width: 1600, height: 1400 });
    await visit.open(`/e/${id}?tab=text&tagFilter=text/2$`);
    expect(await visit.page.locator('.logged-text').innerText()).toContain(payloads[2]);
  });
});
