import { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

/* Reliability test 53: no user can make the service open a connection anywhere. */

const hosts = [
  'http://169.254.169.254/latest/meta-data',
  'http://[fd00:ec2::254]/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://127.0.0.1:1/',
  'http://localhost:1/',
  'http://[::1]:1/',
  'http://[::ffff:127.0.0.1]:1/',
  'http://0.0.0.0:1/',
  'http://0:1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://017700000001/',
  'http://127.1/',
  'http://127.0.0.1.nip.example/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.0.1/',
  'http://100.64.0.1/',
  'http://198.18.0.1/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'https://evil.example/redirect?to=http://127.0.0.1:1/',
  'https://rebind.evil.example/',
  'https://evil.example@127.0.0.1:1/',
  'http://127.0.0.1:1#@evil.example/',
  'http://①②⑦.⓪.⓪.①/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'unix:///var/run/docker.sock',
  'ftp://127.0.0.1:1/',
] as const;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describeWith(['postgres'], 'addresses in requests', () => {
  let service: ReadService;
  let owner: TestTenant;
  let accountId: string;
  let experimentId: ExperimentId;
  const reached: string[] = [];
  const connect = Socket.prototype.connect as (...args: unknown[]) => Socket;
  beforeAll(async () => {
    service = await startReadService('http://plots.example');
    owner = await service.tenant('Lab');
    const post = async (path: string, body: object) => (await service.call(owner, 'POST', `/api/v1${path}`, { body })).json.id;
    accountId = await post('/service-accounts', { name: 'program', role: 'member' });
    experimentId = await post('/experiments', {});
    Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
      const [options] = (Array.isArray(args[0]) ? args[0] : args) as [
        { host?: string; port?: number; path?: string } | number | string,
        unknown,
      ];
      const to =
        typeof options === 'object' ? `${options.host ?? ''}:${options.port ?? options.path ?? ''}` : `${String(args[1])}:${options}`;
      reached.push(to);
      return connect.apply(this, args);
    };
  });
  afterAll(async () => {
    Socket.prototype.connect = connect;
    await service?.close();
  });

  it('are never connected to: thirty of them in every text field', async () => {
    expect(hosts).toHaveLength(30);
    const own = new Set([new URL(service.base).host, new URL(service.database.appUrl).host]);
    for (const url of hosts) {
      const jwt = (header: object, claims: object) =>
        `${part({ alg: 'RS256', typ: 'JWT', ...header })}.${part({ sub: 'a:b:c', aud: 'x', ...claims })}.c2ln`;
      const tokens = [jwt({}, { iss: url }), jwt({ jku: url }, {}), jwt({ x5u: url, kid: url }, { iss: url })];
      const exchange = (token: string) => ({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        subject_token: token,
        workspace: owner.tenantId,
        service_account: accountId,
      });
      const bytes = Buffer.from(url).toString('latin1'); // headers consist of bytes
      const responses = [
        ...(await Promise.all(tokens.map((token) => service.call(null, 'POST', '/api/v1/token', { body: exchange(token) })))),
        ...(await Promise.all(tokens.map((token) => service.call({ ...owner, token }, 'GET', '/api/v1/whoami')))),
        await service.call(owner, 'POST', `/api/v1/service-accounts/${accountId}/workloads`, {
          body: { issuer: url, audience: url, subject: 'repo:lab/models:main', scopes: ['read'] },
        }),
        await service.call(owner, 'POST', '/api/v1/sign-in-links', { body: { next: url } }),
        await service.call(owner, 'POST', `/api/v1/experiments/${experimentId}/share-links`, { body: { embed_origins: [url], name: url } }),
        await service.call(owner, 'PATCH', `/api/v1/experiments/${experimentId}`, { body: { description: `![x](${url})` } }),
        await service.call(owner, 'GET', `/e/${experimentId}`, { headers: { referer: bytes, origin: bytes, 'x-forwarded-host': bytes } }),
        await service.call(null, 'GET', `/sign-in?next=${encodeURIComponent(url)}`),
        await service.call(null, 'POST', '/api/v1/device', { body: { client_name: url.slice(0, 80), scope: 'read' } }),
      ];
      for (const { status } of responses) expect([url, status < 500]).toEqual([url, true]);
    }
    expect(reached.length).toBeGreaterThan(0);
    expect([...new Set(reached)].filter((to) => !own.has(to))).toEqual([]);
  }, 120_000);
});
