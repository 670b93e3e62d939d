import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { experimentIdOf } from '#model/testing';
import { Report } from '../report.ts';
import { openSession } from '../session.ts';
import { TestHost } from '../testing/test-host.ts';

let server: Server;
let home: TestHost;
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  home.remove();
});

/** A service that deleted run `r` this long ago. */
async function announcing(deletedMsAgo: number) {
  const bodies: unknown[] = [];
  server = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.push(body);
      const taken = (body as { after_deletion?: boolean }).after_deletion === true;
      const result = taken
        ? { file_id: '1', version: 1, offset: 0, crc32c: '00000000' }
        : { code: 'run-deleted', detail: 'It was deleted.', deleted_ms_ago: deletedMsAgo };
      response.writeHead(taken ? 201 : 410, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(result));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  home = new TestHost({ PLOTLINE_SERVER: origin, PLOTLINE_TOKEN: 'secret' });
  const sink = { write: () => undefined };
  const host = { env: home.env, cwd: home.folder, stdin: process.stdin, stdout: sink, stderr: sink, onInterrupt: () => () => undefined };
  return { session: openSession(host, new Report(false, sink, sink)), bodies };
}

it('an upload creates a run again that was deleted before this process started', async () => {
  const { session, bodies } = await announcing(performance.now() + 60_000);
  try {
    expect(await session.api.announce(experimentIdOf('x'), { run: 'r', name: 'tfevents.1' })).toMatchObject({ fileId: '1', created: true });
    expect(bodies).toEqual([
      { run: 'r', name: 'tfevents.1' },
      { run: 'r', name: 'tfevents.1', after_deletion: true },
    ]);
  } finally {
    session.close();
  }
});

it('an upload does not create a run or a file again after a later deletion', async () => {
  const { session, bodies } = await announcing(1);
  try {
    for (const name of ['tfevents.1', 'tfevents.2'])
      await expect(session.api.announce(experimentIdOf('x'), { run: 'r', name })).rejects.toMatchObject({ code: 'run-deleted' });
    expect(bodies).toEqual([{ run: 'r', name: 'tfevents.1' }]);
  } finally {
    session.close();
  }
});
