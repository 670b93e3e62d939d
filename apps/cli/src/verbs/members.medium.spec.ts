import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { addMember } from '../../../read/src/testing/people.ts';
import { type ReadService, startReadService, type TestTenant } from '../../../read/src/testing/read-service.ts';
import { TestHost } from '../testing/test-host.ts';

describeWith(['postgres'], 'plotline members, person and audit', () => {
  let service: ReadService;
  let owner: TestTenant;
  let hosts: TestHost[];
  beforeAll(async () => {
    service = await startReadService();
  });
  beforeEach(async () => {
    hosts = [];
    owner = await service.tenant('Lab');
  });
  afterEach(() => hosts.forEach((host) => host.remove()));
  afterAll(() => service?.close());

  const terminalOf = (who: TestTenant): TestHost => {
    const host = new TestHost({ PLOTLINE_SERVER: service.base, PLOTLINE_TOKEN: who.token });
    hosts.push(host);
    return host;
  };
  const runJson = async (host: TestHost, ...args: string[]) => {
    const { exitCode, stdout, stderr } = await host.run([...args, '--json']);
    return { exitCode, stderr, json: JSON.parse(stdout) };
  };

  it('invite a person by link, change the role, and remove the member', async () => {
    const [mine, theirs] = [terminalOf(owner), terminalOf(await service.tenant('Home'))];
    const made = await mine.run(['members', 'invite', '--role', 'viewer']);
    expect([made.exitCode, made.stdout]).toEqual([0, expect.stringMatching(/^http:\/\/plots\.example\/join\/[0-9A-Za-z]{30}\n$/)]);
    expect((await runJson(mine, 'members', 'invitations')).json.invitations).toHaveLength(1);
    const joined = await theirs.run(['members', 'accept'], made.stdout);
    expect([joined.exitCode, joined.stdout]).toEqual([0, `You joined Lab (${owner.tenantId}) as viewer.\n`]);
    expect((await theirs.run(['members', 'accept'], made.stdout)).exitCode).toBe(4);
    expect((await theirs.run(['members', 'accept'], 'https://elsewhere/\n')).exitCode).toBe(2);
    const { workspaces } = (await runJson(theirs, 'workspaces', 'list')).json;
    expect(workspaces.map(({ name }: { name: string }) => name)).toEqual(['Home', 'Lab']);
    const { members } = (await runJson(mine, 'members', 'list')).json;
    const guest = members.find(({ role }: { role: string }) => role === 'viewer');
    expect((await mine.run(['members', 'set-role', guest.id, '--role', 'admin'])).stdout).toBe('Ada is admin now.\n');
    expect((await mine.run(['members', 'set-role', 'Ada', '--role', 'viewer'])).exitCode).toBe(2); // there are two
    expect((await mine.run(['members', 'set-role', 'Nobody', '--role', 'viewer'])).exitCode).toBe(4);
    expect((await mine.run(['members', 'set-role', guest.id, '--role', 'god'])).exitCode).toBe(2);
    expect((await mine.run(['members', 'remove', guest.id])).exitCode).toBe(2); // no terminal is available
    expect((await mine.run(['members', 'remove', guest.id, '--yes'])).exitCode).toBe(0);
    expect((await runJson(mine, 'members', 'list')).json.members).toHaveLength(1);
  });

  it('create a workspace, in which the calling token has no access', async () => {
    const mine = terminalOf(owner);
    const made = await mine.run(['workspaces', 'create', 'Second lab']);
    expect([made.exitCode, made.stdout]).toEqual([0, expect.stringMatching(/^Created Second lab \([0-9a-f-]{36}\); you own it\.\n$/)]);
    expect(made.stderr).toContain(`${service.base}/workspaces`);
    expect((await runJson(mine, 'workspaces', 'list')).json.workspaces).toMatchObject([
      { name: 'Lab', current: true },
      { name: 'Second lab', role: 'owner', current: false },
    ]);
    expect((await mine.run(['workspaces', 'list'])).stdout).toMatch(/Lab +owner +current/);
    expect((await mine.run(['workspaces', 'create', ' '])).exitCode).toBe(1);
    for (let n = 0; n < 9; n++) await mine.run(['workspaces', 'create', `w${n}`]);
    expect(await runJson(mine, 'workspaces', 'create', 'more')).toMatchObject({ exitCode: 5, json: { error: { code: 'quota-exceeded' } } });
  });

  it('transfer ownership, and leave the workspace', async () => {
    const mine = terminalOf(owner);
    expect(await runJson(mine, 'members', 'leave', '--yes')).toMatchObject({ exitCode: 1, json: { error: { code: 'last-owner' } } });
    await addMember(service, owner, 'member', 'Grace');
    expect((await mine.run(['members', 'transfer', 'Grace', '--yes'])).stdout).toContain('Grace now owns the workspace');
    expect((await mine.run(['members', 'leave', '--yes'])).stdout).toBe('You have left Lab.\n');
  });

  it('revoke an invitation', async () => {
    const mine = terminalOf(owner);
    const { id } = (await runJson(mine, 'members', 'invite', '--days', '1')).json;
    expect((await mine.run(['members', 'revoke', id])).exitCode).toBe(0);
    expect((await mine.run(['members', 'revoke', id])).exitCode).toBe(4);
    for (const args of [['revoke', 'x'], ['invite', '--days', '0'], ['invite', '--role', 'king'], ['nonsense']])
      expect([args, (await mine.run(['members', ...args])).exitCode]).toEqual([args, 2]);
  });

  it('show the audit log to authorized members, and write it to a file that only its owner can read', async () => {
    const mine = terminalOf(owner);
    for (let n = 0; n < 3; n++) await mine.run(['members', 'invite']);
    const { entries } = (await runJson(mine, 'audit', '--limit', '2', '--action', 'member.invite')).json;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(['member.invite', 'member.invite']);
    expect((await mine.run(['audit'])).stdout).toMatch(/^AT +PERSON +VIA +ACTION +RESULT[^\n]*\n[^\n]*Ada +token +member\.invite +done/);
    const written = await mine.run(['audit', '--outfile', 'log.ndjson']);
    expect(written.exitCode).toBe(0);
    const path = join(mine.folder, 'log.ndjson');
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(4); // and the test's token
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await mine.run(['audit', '--outfile', 'log.ndjson'])).stderr).toContain('was not overwritten');
    const viewer = terminalOf(await addMember(service, owner, 'viewer'));
    expect(await runJson(viewer, 'audit')).toMatchObject({ exitCode: 1, json: { error: { code: 'forbidden' } } });
    expect((await viewer.run(['audit', '--outfile', 'x.ndjson'])).exitCode).toBe(1);
    expect(() => statSync(join(viewer.folder, 'x.ndjson'))).toThrow('ENOENT');
  });

  it('export what is known about a person to a file, and erase them', async () => {
    const grace = terminalOf(await addMember(service, owner, 'member', 'Grace'));
    expect((await grace.run(['person', 'export'])).exitCode).toBe(0);
    expect(JSON.parse(readFileSync(join(grace.folder, 'person.ndjson'), 'utf8').split('\n')[0]!)).toMatchObject({
      kind: 'person',
      name: 'Grace',
    });
    expect((await grace.run(['person', 'erase'])).exitCode).toBe(2);
    expect((await grace.run(['person', 'erase', '--yes'])).stdout).toBe('Your account was erased.\n');
    expect((await runJson(terminalOf(owner), 'members', 'list')).json.members).toHaveLength(1);
  });
});
