import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { roles } from '#auth';
import { removeOldAuditEntries } from '#store';
import { describeWith, isCluster } from '#testing';
import { addMember } from '../testing/people.ts';
import { type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

const byText = (a: unknown, b: unknown): number => String(a).localeCompare(String(b));

describeWith(['postgres'], 'the audit log', () => {
  let service: ReadService;
  let owner: TestTenant;
  beforeAll(async () => {
    service = await startReadService();
  });
  beforeEach(async () => {
    owner = await service.tenant('Lab');
  });
  afterAll(() => service?.close());

  const call = (method: string, path: string, body?: unknown, as = owner) => service.call(as, method, `/api/v1${path}`, { body });
  /** Excludes the tokens that tests create outside the API. */
  const entries = async (query = '', as = owner): Promise<Loose[]> =>
    (await call('GET', `/audit${query}`, undefined, as)).json.entries.filter(({ via }: Loose) => via !== 'service');

  it('has a line for every change: who, with what, what, to what, from where, in which request', async () => {
    const made = await call('POST', '/experiments', { name: 'secret name' });
    const id = made.json.id;
    const runs = new StoredRuns(service, owner, id);
    await runs.series(await runs.run('secret run'), { tag: 'secret tag' });
    await call('PATCH', `/experiments/${id}`, { name: 'secret again', labels: ['secret label'] });
    const points = await call('POST', `/experiments/${id}/deletions`, { tags: ['secret tag'] });
    const gone = await call('POST', `/experiments/${id}/deletions`, { runs: ['secret run'] });
    const removed = await call('DELETE', `/experiments/${id}`);
    const token = await call('POST', '/tokens', { name: 'secret token', scopes: ['read'] });
    await call('DELETE', `/tokens/${token.json.id}`);
    await call('DELETE', `/tokens/${token.json.id}`); // nothing changes anymore
    await call('PATCH', '/workspace', { audit_days: 90, originals_days: null });
    const invitation = await call('POST', '/invitations', { role: 'viewer' });
    await call('DELETE', `/invitations/${invitation.json.id}`);
    const link = await call('POST', '/invitations', { role: 'viewer' });
    const guest = await service.tenant('Home');
    await call('POST', '/invitations/accept', { secret: link.json.url.split('/').at(-1) }, guest);
    await call('PATCH', `/members/${guest.personId}`, { role: 'owner' });
    await call('POST', '/workspace/transfer', { person: guest.personId });
    await service.sql(`update workspace_member set role = 'owner' where person_id = $1`, [owner.personId]);
    await call('DELETE', `/members/${guest.personId}`);
    const lines = (await entries()).reverse();
    expect(lines.map(({ action, experiment, object, details }) => [action, experiment, object, details])).toEqual([
      ['experiment.create', id, null, {}],
      ['experiment.update', id, null, { changed: ['name', 'labels'] }],
      ['points.delete', id, points.json.id, { runs: 1, tags: 1 }],
      ['runs.delete', id, gone.json.id, { runs: 1, tags: null }],
      ['experiment.delete', id, removed.headers.get('location')!.split('/').at(-1), { runs: null, tags: null }],
      ['token.issue', null, token.json.id, { scopes: ['read'], experiments: null, expires_in_days: 365 }],
      ['token.revoke', null, token.json.id, {}],
      ['workspace.update', null, null, { audit_days: 90, originals_days: null }],
      ['member.invite', null, invitation.json.id, { role: 'viewer', expires_in_days: 7 }],
      ['invitation.revoke', null, invitation.json.id, {}],
      ['member.invite', null, link.json.id, { role: 'viewer', expires_in_days: 7 }],
      ['member.join', null, link.json.id, { role: 'viewer' }],
      ['member.role', null, guest.personId, { from: 'viewer', to: 'owner' }],
      ['workspace.transfer', null, guest.personId, { from: 'owner' }],
      ['member.remove', null, guest.personId, { from: 'owner' }],
    ]);
    const join = lines.find(({ action }) => action === 'member.join');
    expect(join.person).toEqual({ id: guest.personId, name: 'Ada' });
    expect(lines[0]).toMatchObject({
      at: expect.any(String),
      person: { id: owner.personId, name: 'Ada' },
      via: 'token',
      result: 'done',
      address: '127.0.0.0/24',
      request_id: made.headers.get('x-request-id'),
    });
    const stored = JSON.stringify(await service.sql('select a::text from audit_entry a where tenant_id = $1', [owner.tenantId]));
    for (const hidden of [/secret/, /Ada/, /Lab/, /plt_/, new RegExp(token.json.token), /127\.0\.0\.1\b/])
      expect(stored).not.toMatch(hidden);
  });

  it('keeps the entry for a workspace in deletion until it is gone', async () => {
    await call('DELETE', '/workspace', { name: 'Lab' });
    expect(await service.sql(`select action from audit_entry where tenant_id = $1 and via = 'token'`, [owner.tenantId])).toEqual([
      { action: 'workspace.delete' },
    ]);
    await service.sql('delete from workspace where tenant_id = $1', [owner.tenantId]);
    expect(await service.sql('select from audit_entry where tenant_id = $1', [owner.tenantId])).toEqual([]);
  });

  it('has no line for what did not happen', async () => {
    const before = await service.sql('select from audit_entry where tenant_id = $1', [owner.tenantId]);
    await call('PATCH', `/members/${owner.personId}`, { role: 'viewer' }); // the last owner
    await call('DELETE', `/experiments/${'A'.repeat(22)}`);
    await call('POST', '/workspace/transfer', { person: owner.personId });
    expect(await service.sql('select from audit_entry where tenant_id = $1', [owner.tenantId])).toEqual(before);
    const failing = service.store.withTenant(owner.tenantId, async (scope) => {
      await removeOldAuditEntries(scope, 1);
      throw new Error('and back');
    });
    await expect(failing).rejects.toThrow('and back');
  });

  it('records a forbidden change once, and not a forbidden read', async () => {
    const viewer = await addMember(service, owner, 'viewer');
    const id = (await call('POST', '/experiments', {})).json.id;
    for (let n = 0; n < 3; n++) {
      expect((await call('PATCH', `/members/${viewer.personId}`, { role: 'owner' }, viewer)).status).toBe(403);
      expect((await call('DELETE', `/experiments/${id}`, undefined, viewer)).status).toBe(403);
    }
    expect((await call('GET', '/audit', undefined, viewer)).status).toBe(403);
    const rejected = await entries('?result=refused');
    expect(rejected.map(({ action, experiment, person }) => [action, experiment, person.id]).sort(byText)).toEqual(
      [
        ['audit.read', null, viewer.personId],
        ['experiment.delete', id, viewer.personId],
        ['member.manage', null, viewer.personId],
      ].sort(byText),
    );
    const stranger = await service.tenant('Other');
    await call('DELETE', `/experiments/${id}`, undefined, stranger);
    expect((await entries('', stranger)).filter(({ result }) => result === 'refused')).toEqual([]);
  });

  it('can be read and exported by owners and admins only, each in their own workspace', async () => {
    await call('POST', '/experiments', {});
    const stranger = await service.tenant('Other');
    expect(await entries('', stranger)).toEqual([]);
    expect(await entries(`?person=${owner.personId}`, stranger)).toEqual([]);
    for (const role of roles) {
      const who = await addMember(service, owner, role);
      const status = role === 'owner' || role === 'admin' ? 200 : 403;
      for (const path of ['/audit', '/audit/export'])
        expect([role, path, (await call('GET', path, undefined, who)).status]).toEqual([role, path, status]);
    }
    const narrow = (await call('POST', '/tokens', { name: 'n', scopes: ['read', 'upload', 'manage'] })).json.token;
    expect((await call('GET', '/audit', undefined, { ...owner, token: narrow })).json.code).toBe('forbidden');
  });

  it('has pages and filters', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await call('POST', '/experiments', {})).json.id);
    await call('PATCH', `/experiments/${ids[2]}`, { name: 'x' });
    const seen: string[] = [];
    for (let token = ''; ;) {
      const { json } = await call('GET', `/audit?action=experiment.create&page_size=2${token && `&page_token=${token}`}`);
      seen.push(...json.entries.map(({ experiment }: Loose) => experiment));
      token = json.next_page_token ?? '';
      if (token === '') break;
      expect((await call('GET', `/audit?page_token=${token}`)).json.code).toBe('invalid-page-token'); // of another list
    }
    expect(seen).toEqual([...ids].reverse());
    expect((await entries(`?experiment=${ids[2]}`)).map(({ action }) => action)).toEqual(['experiment.update', 'experiment.create']);
    const all = await entries();
    const middle = encodeURIComponent(all[2].at);
    expect(await entries(`?from=${middle}`)).toEqual(all.filter(({ at }) => at >= all[2].at));
    expect(await entries(`?until=${middle}`)).toEqual(all.filter(({ at }) => at < all[2].at));
    for (const query of ['?from=yesterday', '?person=me', '?result=maybe', '?who=me', '?action=%00'])
      expect((await call('GET', `/audit${query}`)).status).toBe(400);
  });

  it('is exported line by line, the oldest first, and records the export', async () => {
    await service.sql(
      `insert into audit_entry (tenant_id, via, action, result) select $1, 'service', 'originals.delete', 'done' from generate_series(1, 2500)`,
      [owner.tenantId],
    );
    const { headers, text } = await call('GET', '/audit/export');
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      'application/x-ndjson',
      'attachment; filename="audit.ndjson"',
    ]);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line): Loose => JSON.parse(line));
    expect(lines).toHaveLength(2501); // and the test's token
    const times = lines.map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(lines.map(({ id }) => id)).size).toBe(2501);
    expect(lines[0]).toMatchObject({ person: null, via: 'service', action: 'token.issue' });
    expect((await entries('?page_size=1'))[0].action).toBe('audit.export');
  });

  it('cannot be changed, or shortened early, by anyone with access to the database', async () => {
    await call('POST', '/experiments', {});
    const { tenantId } = owner;
    const app = new pg.Client({ connectionString: service.database.appUrl });
    await app.connect();
    const attempt = async (sql: string): Promise<string> => {
      await app.query('begin');
      try {
        await app.query('select app_set_tenant($1)', [tenantId]);
        const { rowCount } = await app.query(sql);
        return `did ${rowCount}`;
      } catch (error) {
        return (error as pg.DatabaseError).code ?? String(error);
      } finally {
        await app.query('rollback');
      }
    };
    try {
      for (const sql of [
        `update audit_entry set action = 'nothing'`,
        `update audit_entry set actor_id = null`,
        `update audit_entry set at = now() - interval '10 years'`,
        `update audit_entry set address = '198.51.100.0/24'`,
        'truncate audit_entry',
      ])
        expect([sql, await attempt(sql)]).toEqual([sql, '42501']);
      expect(await attempt('update workspace set audit_days = 1')).toBe('23514');
      expect(await attempt('update audit_entry set address = null')).toBe('did 2');
      // On a cluster, a policy instead of the trigger hides younger entries from removal.
      if (isCluster()) return expect(await attempt('delete from audit_entry')).toBe('did 0');
      for (const sql of [
        'delete from audit_entry',
        'alter table audit_entry disable trigger audit_entry_append_only',
        'drop trigger audit_entry_append_only on audit_entry',
      ])
        expect([sql, await attempt(sql)]).toEqual([sql, '42501']);
      // Not even the database administrator can change or delete entries by accident.
      await expect(service.sql(`update audit_entry set action = 'nothing' where tenant_id = $1`, [tenantId])).rejects.toMatchObject({
        code: '42501',
      });
      await expect(service.sql('delete from audit_entry where tenant_id = $1', [tenantId])).rejects.toMatchObject({ code: '42501' });
    } finally {
      await app.end();
    }
  });

  it('keeps its lines as long as owners configure', async () => {
    const old = (days: number) =>
      service.sql(
        `insert into audit_entry (tenant_id, via, action, result, at) values ($1, 'service', 'originals.delete', 'done', now() - make_interval(days => $2))`,
        [owner.tenantId, days],
      );
    for (const days of [29, 31, 364, 366]) await old(days);
    const shorten = () => service.store.withTenant(owner.tenantId, (scope) => removeOldAuditEntries(scope, 100));
    const admin = await addMember(service, owner, 'admin');
    for (const days of [0, 29, 100_000, '30']) expect((await call('PATCH', '/workspace', { audit_days: days })).status).toBe(400);
    expect((await call('PATCH', '/workspace', { audit_days: 30 }, admin)).status).toBe(403);
    expect((await call('PATCH', '/workspace', {})).status).toBe(400);
    expect(await shorten()).toBe(1);
    await call('PATCH', '/workspace', { audit_days: null });
    await old(10_000);
    expect(await shorten()).toBe(0);
    expect((await call('PATCH', '/workspace', { audit_days: 30 })).json.audit_days).toBe(30);
    expect(await shorten()).toBe(3);
  });
});
