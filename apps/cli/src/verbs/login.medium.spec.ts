import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createSignInLink } from '#auth';
import { loadConfig } from '#config';
import { describeWith } from '#testing';
import { Browser } from '../../../read/src/testing/browser.ts';
import { type ReadService, startReadService, type TestTenant } from '../../../read/src/testing/read-service.ts';
import { SignInSettings } from '../../../read/src/sign-in/sign-in-settings.ts';
import { TestHost } from '../testing/test-host.ts';

const publicUrl = 'http://plots.example';

describeWith(['postgres'], 'plotline login, logout and login-link', () => {
  let service: ReadService;
  let owner: TestTenant;
  let host: TestHost;
  beforeAll(async () => {
    const devices = { lifetimeSeconds: 900, intervalSeconds: 0 };
    service = await startReadService(publicUrl, [], { signIn: new SignInSettings(loadConfig({}).signIn, { devices }) });
    owner = await service.tenant();
  });
  afterAll(() => service?.close());
  beforeEach(() => (host = new TestHost()));
  afterEach(() => host.remove());

  const stored = () => join(host.folder, 'config/plotline/credentials.json');
  /** Starts a sign-in, and waits until it shows its code. */
  async function begin(args: readonly string[] = []) {
    const outcome = host.run(['login', '--server', service.base, ...args]);
    await Promise.race([host.untilPrinted(/code: [B-Z]{4}-[B-Z]{4}\n/), outcome]);
    return { outcome };
  }
  async function decide(code: string, decision: string): Promise<number> {
    const browser = new Browser({ 'plots.example': new URL(service.base).host });
    await browser.request('GET', `${publicUrl}/sign-in/${await createSignInLink(service.store, owner)}`);
    const { text } = await browser.request('GET', `${publicUrl}/device?user_code=${code}`);
    const token = /name="csrf_token" value="([^"]+)"/.exec(text)![1]!;
    const form = { csrf_token: token, user_code: code, decision };
    return (await browser.request('POST', `${publicUrl}/device`, { form, headers: { origin: publicUrl } })).status;
  }

  it('signs in through a browser, stores the token for that server only, and revokes it on logout', async () => {
    const { outcome } = await begin(['--json']);
    const code = /shows this code: ([A-Z]{4}-[A-Z]{4})/.exec(host.stderr)![1]!;
    expect(host.stderr).toContain(`${publicUrl}/device?user_code=${code}`);
    expect(await decide(code, 'allow')).toBe(200);
    const { exitCode, stdout, stderr } = await outcome;
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      {
        server: service.base,
        stored_in: stored(),
        person: { id: owner.personId, name: 'Ada' },
        workspace: { id: owner.tenantId, name: 'Lab' },
      },
    ]);
    expect(statSync(stored()).mode & 0o777).toBe(0o600);
    const token = JSON.parse(readFileSync(stored(), 'utf8')).tokens[service.base] as string;
    expect(stdout + stderr).not.toContain(token);
    const who = JSON.parse((await host.run(['whoami', '--json'])).stdout);
    expect(who).toMatchObject({ person: { id: owner.personId }, scopes: ['read', 'upload', 'manage'] });

    const out = await host.run(['logout', '--json']);
    expect([out.exitCode, JSON.parse(out.stdout)]).toEqual([0, { server: service.base, forgotten: true, revoked: true }]);
    expect((await service.call({ ...owner, token }, 'GET', '/api/v1/whoami')).status).toBe(401);
    expect((await host.run(['whoami'])).exitCode).toBe(3);
    expect(JSON.parse((await host.run(['logout', '--server', service.base, '--json'])).stdout)).toMatchObject({ forgotten: false });
  });

  it('exits 3 when declined or expired, 130 when interrupted, and stores nothing', async () => {
    const rejected = await begin();
    expect(await decide(/code: ([A-Z-]{9})/.exec(host.stderr)![1]!, 'refuse')).toBe(200);
    expect(await rejected.outcome).toMatchObject({ exitCode: 3, stdout: '' });
    const late = await begin();
    await service.sql(`update device_code set expires_at = now() where state = 'pending'`);
    expect(await late.outcome).toMatchObject({ exitCode: 3, stdout: '' });
    const stopped = await begin();
    host.interrupt();
    expect((await stopped.outcome).exitCode).toBe(130);
    expect(existsSync(stored())).toBe(false);
  });

  it('reads a token from stdin, and reports when it could not revoke it', async () => {
    const made = await service.call(owner, 'POST', '/api/v1/tokens', { body: { name: 'piped' } });
    const { exitCode, stdout, stderr } = await host.run(['login', '--server', service.base, '--token'], `${made.json.token}\n`);
    expect([exitCode, stdout.includes('as Ada, workspace Lab'), (stdout + stderr).includes(made.json.token)]).toEqual([0, true, false]);
    const downUrl = 'http://127.0.0.1:9';
    host.write('config/plotline/credentials.json', JSON.stringify({ server: downUrl, tokens: { [downUrl]: made.json.token } }));
    const out = await host.run(['logout', '--json']);
    expect([out.exitCode, JSON.parse(out.stdout)]).toEqual([1, { server: downUrl, forgotten: true, revoked: false }]);
    expect(out.stderr).toContain('could not revoke it');
    expect(out.stderr).not.toContain(made.json.token);
  }, 30_000);

  it('creates a link that signs a browser in once', async () => {
    host.env['PLOTLINE_SERVER'] = service.base;
    host.env['PLOTLINE_TOKEN'] = owner.token;
    const { exitCode, stdout } = await host.run(['login-link', '--next', '/sessions']);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^http:\/\/plots\.example\/sign-in\/[0-9A-Za-z]{30}\?next=%2Fsessions\n$/),
    ]);
    const browser = new Browser({ 'plots.example': new URL(service.base).host });
    const first = await browser.request('GET', stdout.trim());
    expect([first.status, first.headers.get('location')]).toEqual([303, '/sessions']);
    expect((await browser.request('GET', stdout.trim())).status).toBe(404);
    host.env['PLOTLINE_TOKEN'] = (await service.call(owner, 'POST', '/api/v1/tokens', { body: { name: 'narrow' } })).json.token;
    expect((await host.run(['login-link'])).exitCode).toBe(1);
  });
});
