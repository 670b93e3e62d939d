import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveRoutes } from '#http';
import { fileIdOf, seriesIdOf } from '#model/testing';
import { writeBlobKey } from '#series';
import { describeWith } from '#testing';
import { UploadModule } from '../../../upload/src/upload.module.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { addMember } from '../testing/people.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { routeDocs } from './openapi.ts';

/*
 * Reliability tests 27, 28 and 30: reads of a workspace return the same result whether or not
 * another workspace has all of its rows under the same ids. Everything is read twice: with the
 * application's role, and with a role that bypasses row level security, where only the conditions
 * of the statements separate the two workspaces.
 */

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

const send = pg.Client.prototype.query as (...args: unknown[]) => unknown;
const key = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describeWith(['postgres'], 'reads for a workspace', () => {
  let service: ReadService;
  let owner: TestTenant;
  let captured: Statement[];
  const twin = randomUUID();
  let moment: string;

  beforeAll(async () => {
    service = await startReadService('http://plots.example', [UploadModule]);
    owner = await service.tenant('Lab');
    const statements = new Map<string, Statement>();
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
      const [query, values] = args as [string | { text?: string; values?: unknown[] }, unknown];
      const text = typeof query === 'string' ? query : query?.text;
      const given = typeof query === 'string' ? values : query?.values;
      if (text !== undefined && Array.isArray(given) && isRead(text)) statements.set(text, { text, values: given });
      return send.apply(this, args);
    } as typeof pg.Client.prototype.query;
    const logged = new LoggedExperiments(service);
    try {
      await useEverything(logged);
    } finally {
      pg.Client.prototype.query = send as typeof pg.Client.prototype.query;
      await logged.close();
    }
    captured = [...statements.values()];
    moment = new Date().toISOString();
  });
  afterAll(() => service?.close());

  /** Uploads, ingests, and requests every reading route. */
  const useEverything = async (logged: LoggedExperiments): Promise<void> => {
    const steps = Array.from({ length: 50 }, (_, step) => BigInt(step));
    const image = Buffer.from(`\x89PNG\r\n\x1a\n image`, 'latin1');
    const events = steps.map((step) => ({
      step,
      values: [
        { tag: 'loss', scalar: Number(step) },
        { tag: 'text', text: 'words' },
        { tag: 'image', images: [image] },
      ],
    }));
    const experimentId = await logged.make(owner, { one: events, two: events }, 'resnet');
    const deleted = await logged.make(owner, { one: events }, 'gone');
    const gone = await service.call(owner, 'DELETE', `/api/v1/experiments/${deleted}`);
    const post = async (path: string, body: object) => (await service.call(owner, 'POST', `/api/v1${path}`, { body })).json;
    await addMember(service, owner, 'member');
    await post('/invitations', {});
    await post('/service-accounts', { name: 'program', role: 'member' });
    await post('/tokens', { name: 'token', scopes: ['read'], experiments: [experimentId] });
    await post(`/experiments/${experimentId}/share-links`, { tags: ['loss'], frozen: true });
    const [value] = await service.sql(`select series_id::text, file_id::text from blob_sequence_value where tenant_id = $1`, [
      owner.tenantId,
    ]);
    const [seriesId, fileId] = [seriesIdOf(String(value!.series_id)), fileIdOf(String(value!.file_id))];
    const ids: Record<string, string> = {
      experimentId,
      fileId,
      deletionId: gone.headers.get('location')!.split('/').at(-1)!,
      key: writeBlobKey({ experimentId, seriesId, fileId, ordinal: 0, index: 2 }),
    };
    const at = `/api/v1/experiments/${experimentId}`;
    const paths = liveRoutes(service.app)
      .filter((route) => route.method === 'GET' && !route.public && !route.path.endsWith('events'))
      .map((route) => route.path.replace(/:([A-Za-z]+)/g, (_, name: string) => ids[name] ?? 'missing'));
    for (const path of [
      ...paths,
      `${at}/scalars?run=one&tag=loss`,
      `${at}/scalars?run=one&tag=loss&sampling=raw`,
      `${at}/tensors?run=one&tag=text`,
      `${at}/runs?order_by=name&filter=${encodeURIComponent('name = "one"')}`,
      `/api/v1/experiments?filter=${encodeURIComponent('name = "resnet"')}`,
    ])
      await service.call(owner, 'GET', path);
    for (const doc of routeDocs.filter((one) => one.method === 'POST' && one.path.endsWith('query')))
      await service.call(owner, 'POST', doc.path.replace(':experimentId', experimentId), {
        body: /scalars/.test(key(doc)) ? { runs: ['one'], tags: ['loss'] } : doc.body?.example,
      });
  };

  /**
   * The results of all statements, or of their `change`d forms, with this role at one moment.
   * Failures are recorded.
   */
  const responses = async (url: string, change: (text: string) => string = (text) => text): Promise<Map<string, string>> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const found = new Map<string, string>();
    try {
      for (const { text, values } of captured) {
        await client.query('begin');
        try {
          await client.query('select app_set_tenant($1)', [owner.tenantId]);
          const { rows } = await client.query<object>(
            withoutName(change(text)).replace(/\b(?:now|clock_timestamp)\(\)/g, `'${moment}'::timestamptz`),
            values,
          );
          const lines = rows.map((row) => JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)));
          found.set(text, lines.sort((a, b) => (a < b ? -1 : 1)).join('\n'));
        } catch (error) {
          found.set(text, `failed: ${(error as Error).message}`);
        }
        await client.query('rollback');
      }
    } finally {
      await client.end();
    }
    return found;
  };

  it('are the same when another workspace has the same data, under the same ids', async () => {
    const { adminUrl, appUrl } = service.database;
    const alone = { bare: await responses(adminUrl), app: await responses(appUrl) };
    const withRows = [...alone.bare.values()].filter((rows) => rows !== '' && !rows.startsWith('failed')).length;
    expect(captured.length).toBeGreaterThan(60);
    expect(withRows).toBeGreaterThan(45);
    await copyTenant(adminUrl, owner.tenantId, twin);
    const changed = (before: Map<string, string>, after: Map<string, string>) =>
      captured.map(({ text }) => text).filter((text) => before.get(text) !== after.get(text));
    expect(changed(alone.app, await responses(appUrl))).toEqual([]);
    expect(changed(alone.bare, await responses(adminUrl))).toEqual([]);
    // The control: with one condition removed, the rows of the other workspace are returned too.
    const less = (text: string) => text.replace(/(?:\w+\.)?"?\btenant_id"? = (\$\d+)(?:::uuid)?/, '($1::uuid is not null)');
    const caught = changed(alone.bare, await responses(adminUrl, less));
    expect(caught.length).toBeGreaterThan(40);
    // … and row level security still prevents it.
    const net = await responses(appUrl, less);
    expect(caught.filter((text) => net.get(text) !== alone.app.get(text) && !net.get(text)!.startsWith('failed'))).toEqual([]);
  });

  it('return no row of any table without a workspace, and change none', async () => {
    const tables = await service.sql(
      `select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity order by 1`,
    );
    const app = new pg.Client({ connectionString: service.database.appUrl });
    await app.connect();
    /**
     * The number of affected rows; null if rejected. Any other failure, e.g. of a cast, is an
     * error.
     */
    const rowsOf = async (text: string): Promise<number | null> => {
      try {
        return (await app.query(text)).rowCount;
      } catch (error) {
        if ((error as { code?: string }).code !== '42501') throw error;
        return null;
      }
    };
    try {
      let filled = 0;
      for (const setting of ['select 1', 'select app_set_tenant(null)', `select set_config('app.tenant', '', false)`]) {
        await app.query(setting);
        for (const { name } of tables) {
          const [{ n }] = (await service.sql(`select count(*)::int as n from ${String(name)}`)) as [{ n: number }];
          if (n > 0) filled++;
          expect([name, (await rowsOf(`select 1 from ${String(name)}`)) ?? 0]).toEqual([name, 0]);
          expect([name, (await rowsOf(`update ${String(name)} set tenant_id = tenant_id`)) ?? 0]).toEqual([name, 0]);
          expect([name, (await rowsOf(`delete from ${String(name)}`)) ?? 0]).toEqual([name, 0]);
          expect([name, await rowsOf(`insert into ${String(name)} (tenant_id) values ('${owner.tenantId}')`)]).toEqual([name, null]);
        }
      }
      expect(filled).toBeGreaterThan(60); // of most tables there is something that could be seen
    } finally {
      await app.end();
    }
  });
});

/**
 * Removes the comment with the name: the review of SQL must not mistake a changed statement for the
 * named one.
 */
function withoutName(text: string): string {
  return text.replace(/\/\* (?:prepared: )?[a-z0-9-]+ \*\//, '');
}

function isRead(text: string): boolean {
  return (
    /^\s*(\/\*.*?\*\/\s*)?(select|with)\b/i.test(text) &&
    !/\b(insert into|update "?\w+"? |delete from|app_set_tenant|pg_notify|pg_advisory)\b/i.test(text)
  );
}

/**
 * Copies every row of a workspace to another workspace, with the same ids. All keys start with the
 * tenant, so there are no conflicts.
 */
async function copyTenant(adminUrl: string, from: string, to: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    const { rows } = await admin.query<{ name: string; parents: string[] }>(
      `select c.relname as name, array(select distinct f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
         where k.conrelid = c.oid and k.contype = 'f' and f.oid <> c.oid) as parents
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relrowsecurity order by 1`,
    );
    let copied = 0;
    const left = new Map(rows.map(({ name, parents }) => [name, parents]));
    while (left.size > 0) {
      // Rows that other rows reference come first.
      const name = [...left.keys()].find((one) => left.get(one)!.every((parent) => !left.has(parent)))!;
      left.delete(name);
      const { rowCount } = await admin.query(
        `insert into ${name} overriding system value
         select (jsonb_populate_record(t, jsonb_build_object('tenant_id', $2::text))).* from ${name} t where tenant_id = $1`,
        [from, to],
      );
      copied += rowCount ?? 0;
    }
    expect(copied).toBeGreaterThan(100);
  } finally {
    await admin.end();
  }
}
