import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { addMember } from '../../../read/src/testing/people.ts';
import { type ReadService, startReadService, type TestTenant } from '../../../read/src/testing/read-service.ts';
import { TestHost } from '../testing/test-host.ts';

const issuer = 'https://ci.example';

describeWith(['postgres'], 'plotline service-accounts and tokens', () => {
  let service: ReadService;
  let owner: TestTenant;
  let hosts: TestHost[];
  beforeAll(async () => {
    service = await startReadService('http://plots.example', [], { workloadIssuers: [{ issuer, jwksUrl: `${issuer}/keys` }] });
  });
  beforeEach(async () => {
    hosts = [];
    owner = await service.tenant('Lab');
  });
  afterEach(() => hosts.forEach((host) => host.remove()));
  afterAll(() => service?.close());

  const terminalOf = (token: string): TestHost => {
    const host = new TestHost({ PLOTLINE_SERVER: service.base, PLOTLINE_TOKEN: token });
    hosts.push(host);
    return host;
  };
  const runJson = async (host: TestHost, ...args: string[]) => {
    const { exitCode, stdout, stderr } = await host.run([...args, '--json']);
    return { exitCode, stderr, json: JSON.parse(stdout) };
  };

  it('add a program as a member, give it a token, and revoke both', async () => {
    const mine = terminalOf(owner.token);
    const made = await mine.run(['service-accounts', 'create', 'trainer', '--role', 'viewer']);
    expect([made.exitCode, made.stdout]).toEqual([0, expect.stringMatching(/^Created trainer \([0-9a-f-]{36}\), viewer\.\n$/)]);
    const issued = await mine.run(['service-accounts', 'token', 'trainer', '--name', 'gpu-7', '--scope', 'read', '--expires', 'never']);
    expect([issued.exitCode, issued.stdout]).toEqual([0, expect.stringMatching(/^plt_[0-9A-Za-z]{36}\n$/)]);
    expect(issued.stderr).not.toContain(issued.stdout.trim());
    const program = terminalOf(issued.stdout.trim());
    expect((await runJson(program, 'whoami')).json).toMatchObject({ role: 'viewer' });
    expect((await program.run(['workspaces', 'create', 'x'])).exitCode).toBe(1);
    expect((await mine.run(['service-accounts', 'list'])).stdout).toMatch(/trainer +viewer/);
    const { tokens } = (await runJson(mine, 'tokens', 'list', '--everybody')).json;
    expect(tokens.find(({ name }: { name: string }) => name === 'gpu-7')).toMatchObject({ scopes: ['read'], expires_at: null });
    expect((await mine.run(['service-accounts', 'remove', 'trainer'])).exitCode).toBe(2); // no terminal is available
    expect((await mine.run(['service-accounts', 'remove', 'trainer', '--yes'])).exitCode).toBe(0);
    expect((await runJson(mine, 'service-accounts', 'list')).json.service_accounts).toEqual([]);
    expect((await mine.run(['service-accounts', 'remove', 'trainer', '--yes'])).exitCode).toBe(4);
    await expect.poll(async () => (await program.run(['whoami'])).exitCode, { timeout: 10_000 }).toBe(3);
  });

  it('let a workload act as an account, and revoke that', async () => {
    const mine = terminalOf(owner.token);
    const { id } = (await runJson(mine, 'service-accounts', 'create', 'ci')).json;
    const add = ['service-accounts', 'add-workload', 'ci', '--issuer', issuer, '--subject', 'repo:lab/models:*', '--scope', 'read'];
    const { json: workload } = await runJson(mine, ...add, '--scope', 'upload');
    expect(workload).toMatchObject({ issuer, subject: 'repo:lab/models:*', audience: 'http://plots.example', scopes: ['read', 'upload'] });
    const listed = (await runJson(mine, 'service-accounts', 'list')).json;
    expect(listed).toMatchObject({ service_accounts: [{ id, workloads: [{ id: workload.id }] }], issuers: [issuer] });
    expect((await mine.run(['service-accounts', 'list'])).stdout).toContain(`repo:lab/models:* of ${issuer} (${workload.id})`);
    expect((await mine.run(['service-accounts', 'remove-workload', workload.id])).exitCode).toBe(0);
    expect((await mine.run(['service-accounts', 'remove-workload', workload.id])).exitCode).toBe(4);
    expect((await mine.run(['service-accounts', 'remove-workload', '../tokens'])).exitCode).toBe(4);
    expect(
      (await mine.run(['service-accounts', 'add-workload', 'ci', '--issuer', 'https://evil.example', '--subject', 'a:b:c'])).exitCode,
    ).toBe(1);
  });

  it('create, list and revoke one’s own tokens', async () => {
    const mine = terminalOf(owner.token);
    const made = await runJson(mine, 'tokens', 'create', '--name', 'laptop', '--scope', 'read', '--expires', '7');
    expect(made).toMatchObject({ exitCode: 0, json: { name: 'laptop', scopes: ['read'] } });
    const other = terminalOf(made.json.token);
    expect((await other.run(['list'])).exitCode).toBe(0);
    expect((await other.run(['tokens', 'list'])).exitCode).toBe(1); // it is read-only
    expect((await mine.run(['tokens', 'list'])).stdout).toMatch(new RegExp(`laptop +Ada +${made.json.token.slice(-4)}`));
    expect((await mine.run(['tokens', 'list'])).stdout).not.toContain(made.json.token);
    expect((await mine.run(['tokens', 'revoke', made.json.id])).exitCode).toBe(0);
    expect((await mine.run(['tokens', 'revoke', 'laptop'])).exitCode).toBe(2);
    await expect.poll(async () => (await other.run(['list'])).exitCode, { timeout: 10_000 }).toBe(3);
  });

  it.each([
    ['service-accounts', 'create'],
    ['service-accounts', 'create', 'x', '--role', 'owner'],
    ['service-accounts', 'token', 'x'],
    ['service-accounts', 'token', 'x', '--name', 'y', '--scope', 'everything'],
    ['service-accounts', 'add-workload', 'x', '--issuer', issuer],
    ['tokens', 'create', '--name', 'x', '--expires', '0'],
    ['tokens', 'nonsense'],
  ])('reject %s %s', async (...args) => {
    expect((await terminalOf(owner.token).run(args)).exitCode).toBe(2);
  });

  it('are forbidden without the role', async () => {
    const member = terminalOf((await addMember(service, owner, 'member')).token);
    for (const args of [['list'], ['create', 'x']])
      expect((await runJson(member, 'service-accounts', ...args)).json.error.code).toBe('forbidden');
  });
});
