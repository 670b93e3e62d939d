import { afterEach, describe, expect, it } from 'vitest';
import { limits } from '#model';
import { eventBytes } from '../testing/event-bytes.ts';
import { FakeServer } from '../testing/fake-server.ts';
import { TestHost } from '../testing/test-host.ts';
import { cliVersion } from '../version.ts';
import { checkWireVersion } from './check-server.ts';

describe('the version of the upload protocol', () => {
  const cleanUp: (() => unknown)[] = [];
  afterEach(async () => {
    for (const undo of cleanUp.splice(0)) await undo();
  });

  /** Uploads one file to a service with these limits. */
  async function upload(theirs: object) {
    const server = new FakeServer({ limits: theirs, token: 'plt_secret' });
    const origin = await server.start();
    const host = new TestHost({ PLOTLINE_SERVER: origin, PLOTLINE_TOKEN: 'plt_secret' });
    cleanUp.push(
      () => server.stop(),
      () => host.remove(),
    );
    host.write('logs/events.out.tfevents.1', eventBytes(300));
    const outcome = await host.run(['upload', '--logdir', 'logs', '--one-shot', '--no-wait', '--json']);
    return { ...outcome, origin, server, document: JSON.parse(outcome.stdout) as { error?: { code: string } } };
  }
  /** Requests that could change something. */
  const writes = (server: FakeServer) => server.log.filter((line) => !line.startsWith('GET '));

  it('stops the upload before its first byte when the service no longer supports it', async () => {
    const { exitCode, stderr, document, origin, server } = await upload({ wireVersion: 9, oldestWireVersion: limits.wireVersion + 1 });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`The service at ${origin} no longer supports this client; update the client (plotline ${cliVersion()}).`);
    expect(document.error?.code).toBe('client-too-old');
    expect(writes(server)).toEqual([]);
  });

  it('stops the upload before its first byte when the service does not support it yet', async () => {
    const { exitCode, stderr, document, origin, server } = await upload({ wireVersion: limits.wireVersion - 1, oldestWireVersion: 0 });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`The service at ${origin} is too old for this client; update the service.`);
    expect(document.error?.code).toBe('service-too-old');
    expect(writes(server)).toEqual([]);
  });

  it('lets an upload to a newer service with unknown limits pass', async () => {
    const { exitCode, server } = await upload({ wireVersion: 9, oldestWireVersion: limits.wireVersion, more: 1 });
    expect(exitCode).toBe(0);
    expect(writes(server)).toContainEqual(expect.stringMatching(/^PATCH /));
  });

  it('is 1 for a service that does not report it', () => {
    expect(() => checkWireVersion({}, 'http://a', 1)).not.toThrow();
    expect(() => checkWireVersion({}, 'http://a', 2)).toThrow('too old for this client');
  });
});
