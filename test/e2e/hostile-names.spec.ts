import { readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#model';
import { frameRecords } from '#records/testing';
import { bytesField, doubleField, floatField, joinBytes, varintField, writeEventFile } from '#testing';
import { hostileStrings, type HostileString, marker, textOf } from './hostile-strings.ts';
import { each } from './lanes.ts';
import { type ListedSeries, listSeries } from './rest-run.ts';
import { Sender } from './sender.ts';
import { Service } from './service.ts';

/*
 * Reliability test 48: every string is either stored byte for byte and found by exactly that name,
 * or rejected with a problem code; it is never used as a path and never causes a 5xx.
 */

let service: Service;

beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.dispose());

const name = (string: HostileString): string => JSON.stringify(Buffer.from(string.subarray(0, 40)).toString('latin1'));

/** Returns a summary value: {1 tag, 2 simple_value, 9 metadata}, in its own event. */
function scalarEvent(step: number, tag: Uint8Array, metadata: Uint8Array | null = null): Uint8Array {
  const value = joinBytes(bytesField(1, tag), floatField(2, step), metadata && bytesField(9, metadata));
  return joinBytes(doubleField(1, 1_700_000_000 + step), varintField(2, step), bytesField(5, bytesField(1, value)));
}

function storable(text: string | null, maxBytes: number): text is string {
  return text !== null && !text.includes('\0') && Buffer.byteLength(text) <= maxBytes;
}

/** Reads a response with `status`, or a 4xx rejection with a code. */
async function settled(response: Response, what: string): Promise<{ status: number; json: Record<string, unknown> }> {
  const json = (await response.json()) as Record<string, unknown>;
  expect(response.status, `${what}: ${JSON.stringify(json)}`).toBeLessThan(500);
  if (response.status >= 400) expect(json.code, what).toMatch(/^[a-z-]+$/);
  return { status: response.status, json };
}

/**
 * Returns the status of a rejected body: 413 if it is longer than the maximum for any body, which
 * is checked first.
 */
function rejectionOf(body: string | Uint8Array): number {
  return Buffer.byteLength(body) > limits.maxJsonBodyBytes ? 413 : 400;
}

it('there are at least 300', () => {
  expect(hostileStrings.length).toBeGreaterThanOrEqual(300);
});

describe('as a tag', () => {
  let sender: Sender;
  let series: ListedSeries[];

  beforeAll(async () => {
    sender = await Sender.start(service);
    await sender.send('run', frameRecords(hostileStrings.map((tag, step) => scalarEvent(step, tag))));
    await sender.visible();
    series = await listSeries(service, sender.experimentId);
  });

  it('is listed byte for byte, or reported with a reason', async () => {
    const expected = hostileStrings.map(textOf).filter((text) => storable(text, limits.maxTagBytes));
    expect(series.map(({ tag }) => Buffer.from(tag).toString('hex')).toSorted()).toEqual(
      expected.map((tag) => Buffer.from(tag).toString('hex')).toSorted(),
    );
    const reasons = Map.groupBy(await sender.problems(), ({ reason }) => reason);
    const rejected = hostileStrings.filter((string) => !storable(textOf(string), limits.maxTagBytes));
    const has = (count: (text: string | null, bytes: number) => boolean) =>
      rejected.filter((string) => count(textOf(string), string.length)).length;
    expect(Object.fromEntries([...reasons].map(([reason, list]) => [reason, list.length]))).toEqual({
      'invalid-utf8': has((text) => text === null),
      'tag-has-nul': has((text) => text?.includes('\0') === true),
      'tag-too-long': has((text, bytes) => text !== null && bytes > limits.maxTagBytes),
    });
  });

  it('is found by exactly that name, in bodies and in URLs', async () => {
    await each(hostileStrings, async (string, step) => {
      const tag = textOf(string);
      if (tag === null) return;
      const there = storable(tag, limits.maxTagBytes);
      const query = await settled(
        await service.fetch(`${sender.path}/scalars/query`, { method: 'POST', body: JSON.stringify({ tags: [tag] }) }),
        name(string),
      );
      const found = query.json.series ?? [];
      if (there) expect(found, name(string)).toMatchObject([{ run: 'run', tag, columns: { step: [step], value: [step] } }]);
      else expect(found, name(string)).toEqual([]);
      if (encodeURIComponent(tag).length > 12_000) return;
      for (const path of [`${sender.path}/series?tag=`, `${sender.path}/scalars?tag=`]) {
        const listed = await settled(await service.fetch(path + encodeURIComponent(tag)), name(string));
        expect(listed.json.series ?? [], path + name(string)).toMatchObject(there ? [{ tag }] : []);
      }
    });
  });

  it('survives an export as a table', async () => {
    const response = await service.fetch(`${sender.path}/scalars?sampling=last`, { headers: { accept: 'text/csv' } });
    const rows = parseCsv(await response.text()).slice(1);
    expect(new Map(rows.map(([, tag, step]) => [tag, step]))).toEqual(
      new Map(
        hostileStrings.flatMap((string, step) => (storable(textOf(string), limits.maxTagBytes) ? [[textOf(string)!, String(step)]] : [])),
      ),
    );
  });
});

/** RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|$)/gy)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
    else if (end === '') break;
  }
  return rows.filter((row) => row.length > 1);
}

it('as display name and description is stored byte for byte, or the value is reported', async () => {
  const sender = await Sender.start(service);
  const events = hostileStrings.map((text, step) =>
    scalarEvent(step, Buffer.from(`t${step}`), joinBytes(bytesField(2, text), bytesField(3, text))),
  );
  await sender.send('run', frameRecords(events));
  await sender.visible();
  const shown = new Map((await listSeries(service, sender.experimentId)).map((series) => [series.tag, series]));
  hostileStrings.forEach((string, step) => {
    const text = textOf(string);
    const there = storable(text, limits.maxMetadataBytes);
    // A legacy value without a display name gets the tag (data rule 3).
    const expected = there ? { display_name: text || `t${step}`, description: text } : undefined;
    const { display_name, description } = shown.get(`t${step}`) ?? {};
    expect(display_name === undefined ? undefined : { display_name, description }, name(string)).toEqual(expected);
  });
  const problems = (await sender.problems()).length;
  expect(problems).toBe(hostileStrings.length - shown.size);
});

describe('as the name of a run', () => {
  it('is stored byte for byte and found by exactly that name, or rejected', async () => {
    const sender = await Sender.start(service);
    await each(hostileStrings, async (string, step) => {
      const run = textOf(string);
      // JSON can contain only text; with invalid UTF-8 it is not JSON.
      const body =
        run === null
          ? Buffer.concat([Buffer.from('{"name":"tfevents","run":"'), string, Buffer.from('"}')])
          : JSON.stringify({ name: 'tfevents', run });
      const response = await service.fetch(`${sender.path}/files`, {
        method: 'POST',
        body: typeof body === 'string' ? body : new Uint8Array(body),
        headers: { 'content-type': 'application/json' },
      });
      const { status, json } = await settled(response, name(string));
      expect(status, name(string)).toBe(run !== '' && storable(run, limits.maxRunNameBytes) ? 201 : rejectionOf(body));
      if (status === 201) {
        const { status: appended } = await sender.append(
          String(json.file_id),
          0,
          writeEventFile([{ step, wallTime: 1, simpleValues: { tag: step } }]),
        );
        expect(appended, name(string)).toBe(204);
      }
    });
    await sender.visible();
    const expected = hostileStrings.map(textOf).filter((run): run is string => run !== '' && storable(run, limits.maxRunNameBytes));
    const runs = await service.json<{ runs: { run: string }[] }>(`${sender.path}/runs?page_size=1000`);
    expect(runs.runs.map(({ run }) => run).toSorted()).toEqual(expected.toSorted());

    await each(hostileStrings, async (string, step) => {
      const run = textOf(string);
      if (run === null) return;
      const there = expected.includes(run);
      const query = await settled(
        await service.fetch(`${sender.path}/scalars/query`, { method: 'POST', body: JSON.stringify({ runs: [run] }) }),
        name(string),
      );
      expect(query.json.series ?? [], name(string)).toMatchObject(there ? [{ run, columns: { value: [step] } }] : []);
      const quoted = `name = "${run.replaceAll(/["\\]/g, '\\$&')}"`;
      if (encodeURIComponent(quoted).length > 12_000) return;
      const filtered = await settled(await service.fetch(`${sender.path}/runs?filter=${encodeURIComponent(quoted)}`), name(string));
      if (quoted.length > limits.maxFilterCharacters) expect(filtered.json.code, name(string)).toBe('invalid-filter');
      else expect(filtered.json.runs ?? [], name(string)).toMatchObject(there ? [{ run }] : []);
    });
  });

  it('is rejected with half a surrogate pair, wherever it is sent', async () => {
    const sender = await Sender.start(service);
    for (const half of ['\ud800', 'a\udc00', '\udc00\ud800']) {
      const announced = await settled(
        await service.fetch(`${sender.path}/files`, { method: 'POST', body: JSON.stringify({ run: half, name: 'tfevents' }) }),
        half,
      );
      expect(announced).toMatchObject({ status: 400, json: { code: 'invalid-name' } });
      for (const body of [{ runs: [half] }, { tags: [half] }, { plugin: half }]) {
        const asked = await settled(
          await service.fetch(`${sender.path}/scalars/query`, { method: 'POST', body: JSON.stringify(body) }),
          half,
        );
        expect(asked.status).toBe(400);
      }
    }
  });
});

it('as the name of a file is stored byte for byte, or rejected', async () => {
  const sender = await Sender.start(service);
  const usable = (text: string | null): text is string =>
    text !== null && !text.includes('/') && storable(`${text}.tfevents`, limits.maxFileNameBytes);
  await each(hostileStrings, async (string) => {
    const text = textOf(string);
    if (text === null) return;
    const body = JSON.stringify({ run: 'run', name: `${text}.tfevents` });
    const response = await service.fetch(`${sender.path}/files`, { method: 'POST', body });
    const { status } = await settled(response, name(string));
    expect(status, name(string)).toBe(usable(text) ? 201 : rejectionOf(body));
  });
  const { files } = await service.json<{ files: { name: string }[] }>(`${sender.path}/files?page_size=1000`);
  expect(files.map((file) => file.name).toSorted()).toEqual(
    hostileStrings
      .map(textOf)
      .filter(usable)
      .map((text) => `${text}.tfevents`)
      .toSorted(),
  );
});

it('as name, description and label of an experiment is stored byte for byte, or rejected', async () => {
  await each(hostileStrings, async (string) => {
    const text = textOf(string);
    if (text === null) return;
    const characters = Array.from(text).length;
    const fits = storable(text, Infinity) && characters <= limits.maxExperimentNameCharacters;
    const body = JSON.stringify({ name: text, description: text });
    const made = await settled(await service.fetch('/experiments', { method: 'POST', body }), name(string));
    expect(made.status, name(string)).toBe(fits ? 201 : rejectionOf(body));
    if (!fits) return;
    expect(await service.json(`/experiments/${String(made.json.id)}`), name(string)).toMatchObject({ name: text, description: text });
    const labelled = await settled(
      await service.fetch(`/experiments/${String(made.json.id)}`, { method: 'PATCH', body: JSON.stringify({ labels: [text] }) }),
      name(string),
    );
    if (text === '') expect(labelled.status).toBe(400);
    else expect(labelled, name(string)).toMatchObject({ status: 200, json: { labels: [text] } });
    const page = await fetch(`${service.url}/e/${String(made.json.id)}`, { headers: { authorization: `Bearer ${await service.token()}` } });
    expect(page.status, name(string)).toBe(200);
    expect(await page.text(), name(string)).not.toMatch(/<script>alert|<img src=x|<svg onload/);
  });
});

it('causes no 5xx in any query, even as raw bytes of a URL', async () => {
  const sender = await Sender.start(service);
  const token = await service.token();
  /** Sends a request with its URL byte for byte; fetch would normalize it. */
  const ask = (path: string): Promise<number> =>
    new Promise((done, fail) => {
      const sent = request(
        { host: '127.0.0.1', port: service.port, path: `/api/v1${path}`, headers: { authorization: `Bearer ${token}` } },
        (response) => {
          response.resume().on('end', () => done(response.statusCode!));
        },
      );
      sent.on('error', fail).end();
    });
  const places = [
    'series?run=',
    'series?plugin=',
    'series?page_token=',
    'runs?filter=',
    'runs?order_by=',
    'scalars?sampling=',
    'scalars?from=',
    'scalars?tag=a&seed=',
    'frontier?wait_for=',
    'problems?page_token=',
    '',
  ];
  await each(hostileStrings, async (string, i) => {
    const encoded = [...string].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    if (encoded.length > 12_000) return;
    const targets = [
      ...places.slice(i % 2 ? 5 : 0, i % 2 ? undefined : 5).map((place) => `${sender.path}/${place}${encoded}`),
      `/experiments/${encoded}`,
      `/blobs/${encoded}`,
      `/files/${encoded}/content`,
    ];
    for (const target of targets) expect(await ask(target), target.slice(0, 200)).toBeLessThan(500);
  });
});

it('is not mistaken for the replacement character of undecodable bytes', async () => {
  const sender = await Sender.start(service);
  await sender.send('run', writeEventFile([{ step: 1, simpleValues: { '\ufffd': 1 } }]));
  await sender.visible();
  expect((await service.fetch(`${sender.path}/series?tag=%EF%BF%BD`)).status).toBe(200);
  for (const path of ['series?tag=%FF', 'scalars?tag=%FF', 'scalars?tag=a&tag=%'])
    expect((await service.fetch(`${sender.path}/${path}`)).status, path).toBe(400);
});

it('was never used as a path', async () => {
  const blobs = await readdir(`${service.dataDir}/blobs`, { recursive: true });
  for (const path of blobs) expect(path).toMatch(/^[0-9a-z/.-]+$/);
  const all = await readdir(service.dataDir, { recursive: true });
  expect(all.filter((path) => path.includes(marker))).toEqual([]);
  for (const text of hostileStrings.map(textOf)) {
    if (!text?.includes(marker) || text.includes('\0')) continue;
    for (const from of [process.cwd(), service.dataDir, `${service.dataDir}/blobs/x/segment/00`, '/', homedir()])
      for (const spelled of [text, decode(text)])
        expect(await stat(resolve(from, spelled)).catch(() => null), `${from} ${spelled}`).toBeNull();
  }
});

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

it('leaves the service healthy', async () => {
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect(service.output).not.toMatch(/"code":"internal"/);
});
