import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createToken, type Role, roles } from '#auth';
import { describeWith } from '#testing';
import { addMember, browserOf } from '../testing/people.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

describeWith(['postgres'], 'members', () => {
  let service: ReadService;
  let owner: TestTenant;
  beforeAll(async () => {
    service = await startReadService();
  });
  beforeEach(async () => {
    owner = await service.tenant();
  });
  afterAll(() => service?.close());

  const member = (role: Role, name: string = role) => addMember(service, owner, role, name);
  const setRole = (as: TestTenant, whom: { personId: string }, role: unknown) =>
    service.call(as, 'PATCH', `/api/v1/members/${whom.personId}`, { body: { role } });
  const remove = (as: TestTenant, whom: { personId: string }) => service.call(as, 'DELETE', `/api/v1/members/${whom.personId}`);
  const rolesNow = async (tenantId = owner.tenantId) =>
    Object.fromEntries(
      (await service.sql('select person_id, role from workspace_member where tenant_id = $1', [tenantId])).map((row) => [
        row['person_id'],
        row['role'],
      ]),
    );

  it('are listed page by page to everyone in the workspace, and to no one else', async () => {
    const viewer = await member('viewer', 'Vera');
    const { json } = await service.call(viewer, 'GET', '/api/v1/members');
    expect(json.members).toHaveLength(2);
    expect(json.members).toContainEqual({ id: owner.personId, name: 'Ada', role: 'owner', joined: expect.any(String) });
    const first = (await service.call(viewer, 'GET', '/api/v1/members?page_size=1')).json;
    const second = (await service.call(viewer, 'GET', `/api/v1/members?page_size=1&page_token=${first.next_page_token}`)).json;
    expect([...first.members, ...second.members]).toEqual(json.members);
    expect(second.next_page_token).toBeUndefined();
    const stranger = await service.tenant('Other');
    const theirs = await service.call(stranger, 'GET', '/api/v1/members');
    expect(theirs.json.members.map(({ id }: { id: string }) => id)).toEqual([stranger.personId]);
  });

  it('get no role above that of the person who changes it', async () => {
    const people = { owner, admin: await member('admin'), member: await member('member'), viewer: await member('viewer') };
    for (const actor of roles) {
      for (const wanted of roles) {
        const target = await member('viewer', `to be ${wanted}`);
        const { status, json } = await setRole(people[actor], target, wanted);
        const may = actor === 'owner' || (actor === 'admin' && wanted !== 'owner');
        expect([actor, wanted, status]).toEqual([actor, wanted, may ? 200 : 403]);
        if (!may) expect(json.code).toBe('forbidden');
        expect((await rolesNow())[target.personId]).toBe(may ? wanted : 'viewer');
      }
    }
  });

  it('cannot promote themselves', async () => {
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const self = await member(role);
      for (const wanted of roles.slice(0, roles.indexOf(role))) expect((await setRole(self, self, wanted)).status).toBe(403);
      expect((await rolesNow())[self.personId]).toBe(role);
    }
  });

  it('cannot change members above them', async () => {
    const admin = await member('admin');
    expect((await setRole(admin, owner, 'viewer')).json.code).toBe('forbidden');
    expect((await remove(admin, owner)).json.code).toBe('forbidden');
    expect((await rolesNow())[owner.personId]).toBe('owner');
  });

  it('of another workspace are indistinguishable from unknown people', async () => {
    const stranger = await service.tenant('Other');
    const responses = [];
    for (const personId of [owner.personId, randomUUID(), 'nonsense'])
      for (const { status, json } of [await setRole(stranger, { personId }, 'viewer'), await remove(stranger, { personId })])
        responses.push([status, json.code, json.detail]);
    expect(new Set(responses.map((response) => JSON.stringify(response)))).toEqual(
      new Set([JSON.stringify([404, 'member-not-found', 'There is no such member in this workspace.'])]),
    );
    expect((await rolesNow())[owner.personId]).toBe('owner');
  });

  it('accept no foreign fields in bodies', async () => {
    const target = await member('viewer');
    for (const field of ['tenant_id', 'person_id', 'state', 'owner'])
      expect(
        (await service.call(owner, 'PATCH', `/api/v1/members/${target.personId}`, { body: { role: 'member', [field]: owner.tenantId } }))
          .json.code,
      ).toBe('unknown-field');
    expect((await setRole(owner, target, 'god')).status).toBe(400);
    expect((await rolesNow())[target.personId]).toBe('viewer');
  });

  it('never leave a workspace without an owner, even when two leave at the same moment', async () => {
    const leave = (as: TestTenant) => service.call(as, 'POST', '/api/v1/workspace/leave', { body: {} });
    for (const attempt of [() => leave(owner), () => remove(owner, owner), () => setRole(owner, owner, 'admin')])
      expect((await attempt()).json.code).toBe('last-owner');
    const others = [await member('owner'), await member('owner')];
    const responses = await Promise.all([leave(owner), ...others.map(leave)]);
    expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 204, 409]);
    expect(Object.values(await rolesNow())).toEqual(['owner']);
  });

  it('become owners by a transfer, which only owners can make', async () => {
    const [admin, heir] = [await member('admin'), await member('member')];
    const transfer = (as: TestTenant, person: string) => service.call(as, 'POST', '/api/v1/workspace/transfer', { body: { person } });
    expect((await transfer(admin, admin.personId)).status).toBe(403);
    expect((await transfer(owner, (await service.tenant('Other')).personId)).json.code).toBe('member-not-found');
    expect((await transfer(owner, owner.personId)).json.code).toBe('bad-request');
    expect((await transfer(owner, heir.personId)).status).toBe(204);
    expect(await rolesNow()).toEqual({ [owner.personId]: 'admin', [heir.personId]: 'owner', [admin.personId]: 'admin' });
    expect((await transfer(owner, admin.personId)).status).toBe(403);
  });

  it('who are removed lose all access within five seconds, and regain none of it when they are back', async () => {
    const gone = await member('admin');
    const second = { ...gone, token: await createToken(service.store, { ...gone, name: 'second' }) };
    const browser = await browserOf(service, gone);
    const invited = (await service.call(gone, 'POST', '/api/v1/invitations', { body: { role: 'admin' } })).json.url.split('/').at(-1);
    const whoami = (as: TestTenant | null, headers = {}) => service.call(as, 'GET', '/api/v1/whoami', { headers });
    for (const response of [await whoami(gone), await whoami(second), await whoami(null, browser)]) expect(response.status).toBe(200);
    expect((await remove(owner, gone)).status).toBe(204);
    await sleep(5_000); // the guaranteed limit
    for (const response of [await whoami(gone), await whoami(second), await whoami(null, browser)]) expect(response.status).toBe(401);
    const stranger = await service.tenant('Other');
    const accept = () => service.call(stranger, 'POST', '/api/v1/invitations/accept', { body: { secret: invited } });
    expect((await accept()).json.code).toBe('invitation-not-found');
    await service.sql('insert into workspace_member (tenant_id, person_id, role) values ($1, $2, $3)', [
      gone.tenantId,
      gone.personId,
      'admin',
    ]);
    await sleep(5_000);
    for (const response of [await whoami(gone), await whoami(second), await whoami(null, browser)]) expect(response.status).toBe(401);
    expect((await accept()).json.code).toBe('invitation-not-found');
  });

  it('who were demoted have their new rights at once, whatever was cached for their token', async () => {
    const [fallen, target] = [await member('admin'), await member('viewer')];
    expect((await service.call(fallen, 'GET', '/api/v1/invitations')).status).toBe(200);
    expect((await setRole(owner, fallen, 'member')).status).toBe(200);
    for (const response of [
      await setRole(fallen, target, 'admin'),
      await remove(fallen, target),
      await setRole(fallen, fallen, 'admin'),
      await service.call(fallen, 'POST', '/api/v1/invitations', { body: { role: 'admin' } }),
    ])
      expect(response.json.code).toBe('forbidden');
    expect(await rolesNow()).toMatchObject({ [fallen.personId]: 'member', [target.personId]: 'viewer' });
  });
});
