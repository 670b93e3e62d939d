import { afterEach, expect, it } from 'vitest';
import { FakeServer, type FakeServerOptions } from '../testing/fake-server.ts';
import { eventBytes } from '../testing/event-bytes.ts';
import { TestHost } from '../testing/test-host.ts';

let server: FakeServer | null = null;
let host: TestHost | null = null;
afterEach(async () => {
  await server?.stop();
  host?.remove();
  [server, host] = [null, null];
});

async function start(options: FakeServerOptions): Promise<TestHost> {
  server = new FakeServer({ token: 'secret', ...options });
  host = new TestHost({ PLOTLINE_SERVER: await server.start(), PLOTLINE_TOKEN: 'secret' });
  host.write('logs/a/tfevents.1', eventBytes('some bytes'));
  return host;
}

const usage = {
  quotas: {
    points: { used: 850, limit: 1_000, state: 'warning' },
    bytes: { used: 3_000_000, limit: 10_000_000, state: 'ok' },
    series: { used: 10, limit: 10, state: 'exceeded' },
  },
  bytes: { originals: 3_000_000, values: 0, exports: 0, being_deleted: 0 },
  suspension: null,
};

it('plotline usage shows each quota, and warns if little of it is left', async () => {
  const { exitCode, stdout, stderr } = await (await start({ usage })).run(['usage']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/points +850 +1,000 +85 %/);
  expect(stderr).toContain('This workspace is near a quota: 850 of 1,000 points used.');
  expect(stderr).toContain('This workspace has used up a quota: 10 of 10 series.');
  expect(stderr).not.toContain('bytes are used');
});

it('plotline usage --json prints the response of the server', async () => {
  const { stdout } = await (await start({ usage })).run(['usage', '--json']);
  expect(JSON.parse(stdout)).toEqual(usage);
});

it('plotline usage says why a workspace is suspended', async () => {
  const suspension = { mode: 'read-only', reason: 'Unpaid.', since: '2026-11-22T00:00:00.000Z' };
  const { stderr } = await (await start({ usage: { ...usage, suspension } })).run(['usage']);
  expect(stderr).toContain('This workspace has been read-only since 2026-11-22T00:00:00.000Z: Unpaid.');
});

it('an upload near a quota warns and continues; a server without quotas is not an error', async () => {
  const warned = await (await start({ usage })).run(['upload', '--logdir', 'logs', '--one-shot', '--no-wait']);
  expect([warned.exitCode, warned.stderr]).toEqual([0, expect.stringContaining('near a quota: 850 of 1,000 points')]);
  await server!.stop();
  host!.remove();
  const plain = await (await start({})).run(['upload', '--logdir', 'logs', '--one-shot', '--no-wait']);
  expect([plain.exitCode, plain.stderr]).toEqual([0, expect.not.stringContaining('quota')]);
});

it('an upload that a quota rejects exits 5 at once, with the message of the server', async () => {
  const rejectAppends = { status: 403, code: 'quota-exceeded', detail: 'This workspace uses 10 of 10 bytes stored' };
  const { exitCode, stderr } = await (await start({ rejectAppends })).run(['upload', '--logdir', 'logs', '--one-shot']);
  expect([exitCode, stderr]).toEqual([5, expect.stringContaining('10 of 10 bytes stored')]);
});

it('an upload to a suspended workspace ends, with the reason', async () => {
  const rejectAppends = { status: 403, code: 'workspace-suspended', detail: 'This workspace is suspended: Unpaid.' };
  const { exitCode, stderr } = await (await start({ rejectAppends })).run(['upload', '--logdir', 'logs', '--one-shot']);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Unpaid.')]);
});
