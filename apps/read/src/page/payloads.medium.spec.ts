import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

/*
 * Reliability test 50, for pages written by the server: a page has the same elements and attributes
 * for any names, descriptions, labels, tags and hyperparameters.
 */

const vectors = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<math><mtext></p><style><img src=x onerror=alert(1)></style>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '<form><button formaction=javascript:alert(1)>',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<base href="https://evil.example/">',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '<object data="data:text/html,<script>alert(1)</script>">',
  '<body onpageshow=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<template><s><template><s><img src=x onerror=alert(1)>',
  '<style>@import "https://evil.example";</style>',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[><img src=x onerror=alert(1)>]]>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;alert(1)',
  '\u2028<script>alert(1)</script>\u202e',
];
const around: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `">${text}`,
  (text) => `'>${text}`,
  (text) => `</style>${text}`,
  (text) => `</title>${text}`,
  (text) => `</textarea>${text}`,
  (text) => `" autofocus onfocus=alert(1) x="${text}`,
  (text) => `--><${text}`,
  (text) => `</td></tr></table>${text}`,
  (text) => text.toUpperCase(),
  (text) => text.replace(/<|^/, '<\n'),
  (text) => text.replaceAll(/<|^/g, '<\u00a0'),
  (text) => text.replaceAll('a', '&#x61;'),
  (text) => `\\${text}`,
  (text) => `%3C${text}`,
  (text) => text.replaceAll(/<|^/g, '\uff1c'),
  (text) => `${text}\r\nSet-Cookie: x=1`,
  (text) => text.split('').reverse().join(''),
  (text) => `\`${text}\``,
  (text) => text.repeat(2),
];
const payloads = vectors.flatMap((vector) => around.map((put) => put(vector)));

describeWith(['postgres'], 'pages with hostile texts', () => {
  let service: ReadService;
  let owner: TestTenant;
  beforeAll(async () => {
    service = await startReadService();
    owner = await service.tenant('Lab');
    await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 999999999)', [owner.tenantId]);
  });
  afterAll(() => service?.close());

  /** The elements of a page with the names of their attributes, without URLs and text. */
  const skeleton = (page: string): string[] => {
    const body = page.replace(/<style>[^<]*<\/style>/, '<style></style>');
    // Where a long name may wrap depends on the name.
    return (body.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""')).filter((tag) => tag !== '<wbr />');
  };

  it('have the elements of harmless ones, and no others, for 500 payloads', async () => {
    expect(new Set(payloads).size).toBe(500);
    const page = async (text: string): Promise<[plain: string[], scripted: string[]]> => {
      const [name, label] = [text.replace(/[\r\n]/g, ' ').slice(0, 100), text.replace(/[\r\n]/g, ' ').slice(0, 40)];
      const id = (await service.call(owner, 'POST', '/api/v1/experiments', { body: {} })).json.id;
      // Written directly to the rows: the API rejects some of these values, so they would not test
      // the output.
      await service.sql('update experiment set name = $2, description = $3, labels = $4 where experiment_id = $1', [
        id,
        name,
        text,
        [label],
      ]);
      await service.sql('update person set display_name = $2 where person_id = $1', [owner.personId, name]);
      await service.sql('update workspace set name = $2 where tenant_id = $1', [owner.tenantId, name]);
      const runs = new StoredRuns(service, owner, id);
      const run = await runs.run(text, { hparams: { [text]: text } });
      await runs.series(run, { tag: text, plugin: 'scalars', points: 1 });
      const skeletons: string[][] = [];
      for (const path of [`/e/${id}?plain`, `/e/${id}`]) {
        const shown = await service.call(owner, 'GET', path);
        expect([text, shown.status, shown.headers.get('set-cookie')]).toEqual([text, 200, null]);
        skeletons.push(skeleton(shown.text));
      }
      return skeletons as [string[], string[]];
    };
    const [plain, scripted] = await page('harm/less');
    // With a script, how often an element occurs depends on the slashes in a name; which elements
    // occur does not.
    const known = new Set(scripted);
    for (const payload of payloads) {
      const shown = await page(payload);
      expect([payload, shown[0]]).toEqual([payload, plain]);
      expect([payload, shown[1].filter((element) => !known.has(element))]).toEqual([payload, []]);
    }
    const home = await service.call(owner, 'GET', '/?plain');
    expect(home.text.match(/<(script|img|svg|iframe|object|link|base|math|template|form)\b/gi)).toBeNull();
    const first = await service.call(owner, 'GET', '/');
    expect(first.text.match(/<script\b[^>]*>/gi)).toEqual([
      expect.stringMatching(/^<script type="module" src="\/assets\/[A-Za-z0-9_-]+\.js">$/),
      '<script type="application/json" id="page-data">',
    ]);
    expect(first.text.match(/<(img|iframe|object|base|math|template|form)\b/gi)).toBeNull();
  }, 240_000);
});
