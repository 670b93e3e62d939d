import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { roles } from '#auth';
import { describeWith } from '#testing';
import { addMember, browserOf } from '../testing/people.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

describeWith(['postgres'], 'invitations', () => {
  let service: ReadService;
  let owner: TestTenant;
  let guest: TestTenant;
  beforeAll(async () => {
    service = await startReadService();
  });
  beforeEach(async () => {
    owner = await service.tenant('Lab');
    guest = await service.tenant('Home');
  });
  afterAll(() => service?.close());

  const invite = (as: TestTenant, body: object = {}) => service.call(as, 'POST', '/api/v1/invitations', { body });
  const secretOf = ({ json }: { json: { url: string } }) => json.url.split('/').at(-1)!;
  const accept = (as: TestTenant | null, secret: unknown) => service.call(as, 'POST', '/api/v1/invitations/accept', { body: { secret } });
  const workspacesOf = async (as: TestTenant) =>
    (await service.call(as, 'GET', '/api/v1/workspaces')).json.workspaces.map(({ name, role }: { name: string; role: string }) => [
      name,
      role,
    ]);

  it('are links that are shown once, and make one signed-in person a member', async () => {
    const made = await invite(owner, { role: 'admin', expires_in_days: 3 });
    expect(made.status).toBe(201);
    expect(made.json).toEqual({
      id: expect.any(String),
      url: expect.stringMatching(/^http:\/\/plots\.example\/join\/[0-9A-Za-z]{30}$/),
      role: 'admin',
      expires: expect.any(String),
    });
    expect(Math.abs(Date.parse(made.json.expires) - Date.now() - 3 * 86_400_000)).toBeLessThan(60_000);
    const listed = await service.call(owner, 'GET', '/api/v1/invitations');
    expect(listed.json.invitations).toEqual([
      {
        id: made.json.id,
        role: 'admin',
        invited_by: { id: owner.personId, name: 'Ada' },
        created: expect.any(String),
        expires: made.json.expires,
      },
    ]);
    const secret = secretOf(made);
    for (const table of ['invitation', 'invitation_route', 'idempotency_key', 'audit_entry'])
      expect(JSON.stringify(await service.sql(`select t::text from ${table} t`))).not.toContain(secret);
    expect(await service.sql('select secret_hash from invitation_route where invitation_id = $1', [made.json.id])).toEqual([
      { secret_hash: createHash('sha256').update(secret).digest() },
    ]);
    expect((await accept(null, secret)).status).toBe(401);
    expect((await accept(guest, secret)).json).toEqual({ workspace: { id: owner.tenantId, name: 'Lab' }, role: 'admin' });
    expect(await workspacesOf(guest)).toEqual([
      ['Home', 'owner'],
      ['Lab', 'admin'],
    ]);
    expect((await service.call(owner, 'GET', '/api/v1/invitations')).json.invitations).toEqual([]);
  });

  it('that are invalid get the same response, for any reason', async () => {
    const used = secretOf(await invite(owner));
    expect((await accept(await service.tenant('First'), used)).status).toBe(200);
    const expired = await invite(owner);
    await service.sql(`update invitation set expires_at = now() - interval '1 second' where invitation_id = $1`, [expired.json.id]);
    const revoked = await invite(owner);
    expect((await service.call(owner, 'DELETE', `/api/v1/invitations/${revoked.json.id}`)).status).toBe(204);
    const responses = [];
    for (const secret of [used, secretOf(expired), secretOf(revoked), 'A'.repeat(30), 'x', "' or true --"]) {
      const { status, json } = await accept(guest, secret);
      responses.push({ status, ...json, request_id: null });
    }
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(responses[0]).toMatchObject({ status: 404, code: 'invitation-not-found' });
    expect(await workspacesOf(guest)).toEqual([['Home', 'owner']]);
  });

  it('are accepted at a reserved address that accepts nothing else', async () => {
    for (const method of ['DELETE', 'PATCH', 'GET'] as const) {
      const response = await service.call(owner, method, '/api/v1/invitations/accept', method === 'PATCH' ? { body: {} } : {});
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
    expect((await service.call(null, 'DELETE', '/api/v1/invitations/accept')).status).toBe(401);
  });

  it('add one of many people who accept at the same moment', async () => {
    const secret = secretOf(await invite(owner));
    const guests = await Promise.all(Array.from({ length: 6 }, () => service.tenant('Home')));
    const responses = await Promise.all(guests.map((one) => accept(one, secret)));
    expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 404, 404, 404, 404, 404]);
    expect(await service.sql('select count(*)::int as members from workspace_member where tenant_id = $1', [owner.tenantId])).toEqual([
      { members: 2 },
    ]);
  });

  it("grant no more than their creator's role, and end when that role is lowered", async () => {
    const admin = await addMember(service, owner, 'admin');
    for (const role of roles) {
      expect([role, (await invite(admin, { role })).status]).toEqual([role, role === 'owner' ? 403 : 201]);
      for (const less of ['member', 'viewer'] as const)
        expect((await invite(await addMember(service, owner, less), { role })).status).toBe(403);
    }
    const secret = secretOf(await invite(admin, { role: 'admin' }));
    await service.call(owner, 'PATCH', `/api/v1/members/${admin.personId}`, { body: { role: 'member' } });
    expect((await accept(guest, secret)).json.code).toBe('invitation-not-found');
    expect(await workspacesOf(guest)).toEqual([['Home', 'owner']]);
    // The invitation was not consumed: it works once the person may invite again.
    await service.call(owner, 'PATCH', `/api/v1/members/${admin.personId}`, { body: { role: 'admin' } });
    expect((await accept(guest, secret)).json.role).toBe('admin');
  });

  it('of another workspace can be neither seen nor revoked', async () => {
    const made = await invite(owner);
    expect((await service.call(guest, 'GET', '/api/v1/invitations')).json.invitations).toEqual([]);
    const responses = [];
    for (const id of [made.json.id, randomUUID(), 'nonsense']) {
      const { status, json } = await service.call(guest, 'DELETE', `/api/v1/invitations/${id}`);
      responses.push(JSON.stringify({ status, ...json, request_id: null }));
    }
    expect(new Set(responses).size).toBe(1);
    expect((await accept(guest, secretOf(made))).status).toBe(200);
  });

  it('change nothing for members, and are not used up by them', async () => {
    const viewer = await addMember(service, owner, 'viewer');
    const secret = secretOf(await invite(owner, { role: 'owner' }));
    expect((await accept(viewer, secret)).json.code).toBe('already-a-member');
    expect(await workspacesOf(viewer)).toEqual([['Lab', 'viewer']]);
    expect((await accept(guest, secret)).status).toBe(200);
  });

  it('cannot be accepted in a workspace in deletion', async () => {
    const secret = secretOf(await invite(owner));
    expect((await service.call(owner, 'DELETE', '/api/v1/workspace', { body: { name: 'Lab' } })).status).toBe(202);
    expect((await accept(guest, secret)).json.code).toBe('invitation-not-found');
  });

  it('have a page that shows what they are for, and uses nothing up', async () => {
    const made = await invite(owner, { role: 'viewer' });
    const path = new URL(made.json.url).pathname;
    for (let look = 0; look < 2; look++) {
      const { status, text, headers } = await service.call(null, 'GET', path);
      expect([status, headers.get('referrer-policy'), headers.get('cache-control')]).toEqual([200, 'no-referrer', 'no-store']);
      expect(text).toContain('Join Lab');
      expect(text).not.toContain(secretOf(made));
    }
    expect((await service.call(null, 'GET', `/join/${'A'.repeat(30)}`)).status).toBe(404);
    expect((await accept(guest, secretOf(made))).status).toBe(200);
    expect((await service.call(null, 'GET', path)).status).toBe(404);
  });

  it('let a browser session switch between the workspaces of its person, and to no other', async () => {
    await accept(guest, secretOf(await invite(owner, { role: 'viewer' })));
    const browser = await browserOf(service, guest);
    const choose = (headers: object, workspace: string) =>
      service.call(null, 'PATCH', '/api/v1/session', { headers: { 'sec-fetch-site': 'same-origin', ...headers }, body: { workspace } });
    const responses = [];
    for (const workspace of [(await service.tenant('Theirs')).tenantId, randomUUID(), 'nonsense']) {
      const { status, json, headers } = await choose(browser, workspace);
      responses.push(JSON.stringify({ status, ...json, request_id: null }));
      expect(headers.get('set-cookie')).toBeNull();
    }
    expect([...new Set(responses)]).toEqual([expect.stringContaining('workspace-not-found')]);
    const moved = await choose(browser, owner.tenantId);
    expect(moved.json).toEqual({ workspace: { id: owner.tenantId, name: 'Lab' }, role: 'viewer' });
    const cookie = moved.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^plotline_session=[0-9A-Za-z]{30}; Path=\/; Max-Age=259\d{4}; HttpOnly; SameSite=Strict$/);
    const now = await service.call(null, 'GET', '/api/v1/whoami', { headers: { cookie: cookie.split(';')[0]! } });
    expect(now.json).toMatchObject({ person: { id: guest.personId }, workspace: { id: owner.tenantId }, role: 'viewer' });
    expect(await service.sql('select tenant_id from browser_session where person_id = $1', [guest.personId])).toEqual([
      { tenant_id: owner.tenantId },
    ]);
    expect((await choose({ ...browser, 'sec-fetch-site': 'cross-site' }, guest.tenantId)).status).toBe(401);
    expect((await service.call(guest, 'PATCH', '/api/v1/session', { body: { workspace: owner.tenantId } })).json.code).toBe('forbidden');
  });
});
