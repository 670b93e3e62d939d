import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken, type Scope, scopes } from '#auth';
import { rules } from '#experiments';
import { type LiveRoute, liveRoutes } from '#http';
import type { ExperimentId, FileId } from '#model';
import { experimentIdOf, fileIdOf, seriesIdOf } from '#model/testing';
import { writeBlobKey } from '#series';
import { describeWith } from '#testing';
import { UploadModule } from '../../../upload/src/upload.module.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { addMember } from '../testing/people.ts';
import { type ApiResponse, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { hashWorkspaceRows } from '../testing/workspace-rows.ts';
import { routeDocs } from './openapi.ts';

/*
 * Reliability tests 25 and 33: every live route × credentials without access, with the ids of
 * everything that a workspace can have. New routes are included automatically; a route whose path
 * names something that the workspace of this file lacks fails.
 */

const key = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const dayMs = 86_400_000;
/** Headers of a range with the two bytes `{}`. */
const rangeHeaders = {
  'content-type': 'application/octet-stream',
  'upload-offset': '10',
  'content-digest': `sha-256=:${createHash('sha256').update('{}').digest('base64')}:`,
};
const png = Buffer.from(`\x89PNG\r\n\x1a\n secret image`, 'latin1');

/**
 * A not-found page explains how to sign in, and links back to the requested URL, which the caller
 * knows.
 */
const withoutWayBack = (page: string): string => page.replace(/\?next=[^"]*/g, '');

describeWith(['postgres'], 'the objects of a workspace', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let routes: LiveRoute[];
  let owner: TestTenant;
  /** The owner's objects: a value for each parameter of a path. */
  let owned: Record<string, string>;
  /** Another experiment of the owner, to which credentials may be restricted. */
  let other: string;

  beforeAll(async () => {
    service = await startReadService('http://plots.example', [UploadModule]);
    logged = new LoggedExperiments(service);
    routes = liveRoutes(service.app);
    owner = await service.tenant('Secret Lab');
    await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 999999999)', [owner.tenantId]);
    await service.sql(`update person set display_name = 'Secret Ada' where person_id = $1`, [owner.personId]);
    // Numbers that do not occur in responses by chance.
    for (const [table, column] of [
      ['event_file', 'file_id'],
      ['series', 'series_id'],
    ])
      await service.sql(`select setval(pg_get_serial_sequence($1, $2), 7351948260)`, [table, column]);
    const events = [
      {
        step: 1n,
        values: [
          { tag: 'secret/loss', scalar: 0.25 },
          { tag: 'secret/image', images: [png] },
        ],
      },
    ];
    const experimentId = await logged.make(owner, { 'secret-run': events }, 'secret experiment');
    other = await logged.make(owner, { run: [{ step: 1n, values: [{ tag: 'loss', scalar: 1 }] }] }, 'other');
    const make = async (path: string, body: object = {}): Promise<string> =>
      (await service.call(owner, 'POST', `/api/v1${path}`, { body })).json.id;
    const [value] = await service.sql(
      `select series_id::text, file_id::text from blob_sequence_value where tenant_id = $1 and cardinality(blob_bytes) > 0`,
      [owner.tenantId],
    );
    const [seriesId, fileId] = [seriesIdOf(String(value!.series_id)), fileIdOf(String(value!.file_id))];
    const accountId = await make('/service-accounts', { name: 'secret program', role: 'member' });
    const deleted = await logged.make(owner, { run: events }, 'secret and deleted');
    const gone = await service.call(owner, 'DELETE', `/api/v1/experiments/${deleted}`);
    const workloadId = randomUUID();
    await service.sql(
      `insert into workload_identity (tenant_id, workload_id, person_id, issuer, audience, subject, scopes)
       values ($1, $2, $3, 'https://id.example', 'secret', 'secret:subject', '{read}')`,
      [owner.tenantId, workloadId, accountId],
    );
    owned = {
      experimentId,
      fileId,
      key: writeBlobKey({ experimentId, seriesId, fileId, ordinal: 0, index: 2 }),
      personId: (await addMember(service, owner, 'member', 'Secret Grace')).personId,
      invitationId: await make('/invitations'),
      linkId: await make(`/experiments/${experimentId}/share-links`, { name: 'secret link' }),
      number: '735194826',
      exportId: await make(`/experiments/${experimentId}/exports`, { format: 'csv' }),
      viewId: await make(`/experiments/${experimentId}/views`, { name: 'secret view', view: 'runFilter=secret' }),
      reportId: await make('/reports', { title: 'secret report', body: 'secret' }),
      tokenId: await make('/tokens', { name: 'secret token', scopes: ['read'] }),
      deletionId: gone.headers.get('location')!.split('/').at(-1)!,
      accountId,
      workloadId,
      secret: 'x'.repeat(30),
    };
    for (const [name, id] of Object.entries(owned)) expect([name, typeof id]).toEqual([name, 'string']);
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  const nothing = (): Record<string, string> => {
    const experimentId = experimentIdOf(randomBytes(11).toString('hex'));
    const ids = Object.keys(owned).map((name) => [name, randomUUID()]);
    return {
      ...Object.fromEntries(ids),
      number: '999999',
      experimentId,
      fileId: fileIdOf('999999'),
      key: writeBlobKey({ experimentId, seriesId: seriesIdOf('999999'), fileId: fileIdOf('999999'), ordinal: 0, index: 2 }),
      secret: 'y'.repeat(30),
    };
  };
  const fill = (path: string, values: Record<string, string>): string =>
    path.replace(/:([A-Za-z]+)/g, (_, name: string) => {
      if (values[name] === undefined) throw new Error(`nothing of this workspace is a ${name}; add one, so that ${path} is tried`);
      return values[name];
    });
  const guarded = () => routes.filter((route) => !route.public);
  const send = (route: LiveRoute, values: Record<string, string>, headers: Record<string, string>): Promise<ApiResponse> => {
    const doc = routeDocs.find((one) => key(one) === key(route));
    const body = ['POST', 'PATCH'].includes(route.method) ? (doc?.body?.example ?? {}) : undefined;
    const isForm = doc?.body?.mediaType === 'application/x-www-form-urlencoded';
    const range = /^PATCH .*\/files\/:fileId$/.test(key(route)) ? rangeHeaders : {};
    const text = isForm ? new URLSearchParams(body as Record<string, string>).toString() : body;
    return service.call(null, route.method, fill(route.path, values), {
      ...(text !== undefined && { body: text }),
      headers: { ...range, ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }), ...headers },
    });
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  const state = (): Promise<string> => hashWorkspaceRows(service, owner.tenantId);

  let before: string;
  beforeEach(async () => {
    before = await state();
  });

  /**
   * Requests every guarded route with the ids of the owner's objects. Expects a rejection, and that
   * nothing about the objects is returned or changed.
   */
  const expectRejected = async (
    headersOf: (route: LiveRoute) => Promise<Record<string, string>> | Record<string, string>,
    statusesOf: (route: LiveRoute) => readonly number[],
  ): Promise<void> => {
    const tried = guarded();
    expect(tried.length).toBeGreaterThan(60);
    for (const route of tried) {
      const headers = await headersOf(route);
      const { status, text: response, headers: responded } = await send(route, owned, headers);
      const text = withoutWayBack(response);
      expect([key(route), statusesOf(route).includes(status), status]).toEqual([key(route), true, status]);
      expect([key(route), /secret/i.test(text.replaceAll(owned.secret!, ''))]).toEqual([key(route), false]);
      for (const id of Object.values(owned)) if (text.includes(id)) expect([key(route), text]).toEqual([key(route), 'no id of the owner']);
      expect([key(route), responded.get('etag'), responded.get('set-cookie')]).toEqual([key(route), null, null]);
    }
    expect(await state()).toBe(before);
  };
  const notSignedIn = (route: LiveRoute) => (route.page ? [404] : [401]);

  it('are denied without credentials', async () => {
    await expectRejected(() => ({}), notSignedIn);
  });

  it('are denied to revoked, expired and unknown tokens, and to their JWTs', async () => {
    const { tenantId, personId } = owner;
    const revoked = await createToken(service.store, { tenantId, personId, name: 'revoked' });
    const exchanged = await service.call(null, 'POST', '/api/v1/token', {
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        subject_token: revoked,
      },
    });
    const expired = await createToken(service.store, { tenantId, personId, name: 'expired', expiresAt: new Date(Date.now() + dayMs) });
    await service.sql(`update access_token set revoked_at = now() where tenant_id = $1 and name = 'revoked'`, [tenantId]);
    await service.sql(`update access_token set expires_at = now() where tenant_id = $1 and name = 'expired'`, [tenantId]);
    // The JWT was looked up when it was created; that cached result is at most three seconds old.
    await expect
      .poll(async () => (await service.call(null, 'GET', '/api/v1/whoami', { headers: bearer(exchanged.json.access_token) })).status, {
        timeout: 10_000,
      })
      .toBe(401);
    before = await state();
    for (const token of [revoked, expired, `plt_${'0'.repeat(36)}`, exchanged.json.access_token])
      await expectRejected(() => bearer(token), notSignedIn);
  });

  it('are denied to credentials without the scope, regardless of the role', async () => {
    const { tenantId, personId } = owner;
    const without = new Map<Scope, string>();
    for (const scope of scopes) {
      const rest = scopes.filter((one) => one !== scope);
      without.set(scope, await createToken(service.store, { tenantId, personId, name: `all but ${scope}`, scopes: rest }));
    }
    before = await state();
    const needed = ({ action }: LiveRoute): Scope => rules[action as keyof typeof rules].scope;
    await expectRejected(
      (route) => bearer(without.get(needed(route))!),
      () => [403],
    );
  });

  it('are denied to a token or a link for another experiment, and to a link to a report with it', async () => {
    const { tenantId, personId } = owner;
    const bounded = await createToken(service.store, { tenantId, personId, name: 'bounded', experiments: [other] });
    const made = await service.call(owner, 'POST', `/api/v1/experiments/${other}/share-links`, { body: {} });
    const secretOf = (response: ApiResponse): string => String(response.json.url).split('/').at(-1)!;
    const link = secretOf(made);
    const body = `\`\`\`plotline\n/e/${other}\n\`\`\``;
    const report = await service.call(owner, 'POST', '/api/v1/reports', { body: { title: 'other', body } });
    const ofReport = secretOf(await service.call(owner, 'POST', `/api/v1/reports/${report.json.id}/share-links`, { body: {} }));
    expect((await service.call(null, 'GET', `/api/v1/experiments/${other}`, { headers: { 'plotline-share': ofReport } })).status).toBe(200);
    before = await state();
    const isOwn = (route: LiveRoute) => ['GET /api/v1/experiments', 'GET /api/v1/whoami', 'GET /', 'POST /mcp'].includes(key(route));
    const about = routes.filter((route) => !route.public && !isOwn(route));
    const cookies = [`share_${owned.experimentId}=${link}`, `share_${other}=${link}`, `report_${owned.reportId}=${ofReport}`];
    const cookie = { cookie: cookies.map((one) => `plotline_${one}`).join('; '), host: 'plots.example' };
    for (const headers of [bearer(bounded), { 'plotline-share': link }, { 'plotline-share': ofReport }, cookie]) {
      for (const route of about) {
        const { status, text, headers: responded } = await send(route, owned, headers);
        expect([key(route), [401, 403, 404].includes(status), status]).toEqual([key(route), true, status]);
        expect([key(route), /secret/i.test(text.replaceAll(owned.secret!, ''))]).toEqual([key(route), false]);
        expect([key(route), responded.get('etag')]).toEqual([key(route), null]);
      }
    }
    expect(await state()).toBe(before);
  });

  describe('are unknown to other workspaces', () => {
    /** A new credential for each route, because some routes revoke their caller's credential. */
    const stranger = async () => bearer((await service.tenant('Other')).token);

    it('by their ids in a path: the same response as for missing objects', async () => {
      for (const route of guarded().filter(({ path }) => path.includes(':'))) {
        const [who, none] = [await stranger(), nothing()];
        const theirs = await send(route, owned, who);
        expect([key(route), theirs.status]).toEqual([key(route), 404]);
        const clean = ({ status, text, json, headers }: ApiResponse, values: Record<string, string>) => {
          let words = json ? JSON.stringify({ ...json, request_id: '' }) : text;
          for (const [name, id] of Object.entries(values)) words = words.replaceAll(id, name);
          return { status, words, type: headers.get('content-type'), bytes: words.length, etag: headers.get('etag') };
        };
        expect([key(route), clean(theirs, owned)]).toEqual([key(route), clean(await send(route, none, who), none)]);
      }
      expect(await state()).toBe(before);
    });

    it('by their ids in a body or in a query', async () => {
      const {
        experimentId,
        fileId,
        personId,
        key: blob,
      } = owned as { experimentId: ExperimentId; fileId: FileId; personId: string; key: string };
      const own = await service.tenant('Other');
      const mine = (await service.call(own, 'POST', '/api/v1/experiments', { body: {} })).json.id;
      const tries: [string, string, object | undefined][] = [
        ['POST', '/api/v1/tokens', { name: 'x', scopes: ['read'], experiments: [experimentId] }],
        ['POST', '/api/v1/workspace/transfer', { person: personId }],
        ['PATCH', '/api/v1/session', { workspace: owner.tenantId }],
        ['POST', '/api/v1/invitations/accept', { secret: owned.invitationId }],
        ['GET', `/api/v1/files/${fileId}/content?experiment=${experimentId}`, undefined],
        ['GET', `/api/v1/blobs/${blob}?experiment=${mine}`, undefined],
        ['GET', `/api/v1/audit?person=${personId}`, undefined],
        ['GET', `/api/v1/audit?experiment=${experimentId}`, undefined],
        ['GET', `/api/v1/experiments?filter=${encodeURIComponent(`owner = "Secret Ada"`)}`, undefined],
        [
          'POST',
          '/api/v1/token',
          {
            grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
            subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
            subject_token: 'a.b.c',
            workspace: owner.tenantId,
            service_account: owned.accountId,
          },
        ],
      ];
      for (const [method, path, body] of tries) {
        const response = await service.call(own, method, path, { body });
        if (response.status < 400)
          expect([path, Object.values(response.json as object).filter((list) => Array.isArray(list) && list.length > 0)]).toEqual([
            path,
            [],
          ]);
        expect([path, /secret/i.test(response.text)]).toEqual([path, false]);
      }
      expect(await state()).toBe(before);
    });

    it('without an id: every list and setting is their own', async () => {
      for (const route of guarded().filter(({ path }) => !path.includes(':'))) {
        const { text } = await send(route, owned, await stranger());
        expect([key(route), /secret/i.test(text)]).toEqual([key(route), false]);
        for (const id of [...Object.values(owned), owner.tenantId, owner.personId])
          if (text.includes(id)) expect([key(route), text]).toEqual([key(route), 'no id of the owner']);
      }
      expect(await state()).toBe(before);
    });
  });
});
