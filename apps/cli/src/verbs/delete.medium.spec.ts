import { text } from 'node:stream/consumers';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import type { Host, TextSink } from '../host.ts';
import { Report } from '../report.ts';
import { TestHost } from '../testing/test-host.ts';
import { remove } from './delete.ts';

const id = 'A'.repeat(22);
let server: Server;
let home: TestHost;
let deletions = 0;
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  home.remove();
});

/** A server whose deletion advances to the next of these states at each poll; returns its URL. */
async function deletes(progress: readonly object[]): Promise<string> {
  let looks = 0;
  server = createServer((request, response) => {
    void text(request).then((body) => responseTo(request, response, body || '{}'));
  });
  const responseTo = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const preview = {
      would_remove: { runs: 0, files: 0, points: 366, bytes: 0 },
      would_rewrite: { files: 2, bytes: 4_194_304 },
      exact: true,
    };
    const isPreview = (JSON.parse(body) as { dry_run?: boolean }).dry_run === true;
    if (!isPreview && request.method === 'POST') deletions++;
    const known = request.headers.authorization === 'Bearer secret';
    const asked = `${request.method} ${request.url}`;
    const result =
      asked === `POST /api/v1/experiments/${id}/deletions`
        ? isPreview
          ? preview
          : { id: 'one', state: 'waiting' }
        : asked === `GET /api/v1/experiments/${id}`
          ? { name: 'exp' }
          : asked === 'GET /api/v1/deletions/one'
            ? progress[Math.min(looks++, progress.length - 1)]
            : null;
    response.writeHead(known && result ? 200 : 404, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(result));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('plotline delete --steps --wait shows progress on a terminal, and at the end what was reclaimed', async () => {
  const origin = await deletes([
    { id: 'one', state: 'running', removed: { points: 10, files: 0, bytes: 1_536 } },
    { id: 'one', state: 'done', removed: { points: 366, files: 0, bytes: 3_145_728 }, rewritten: { files: 2, bytes: 4_000_000 } },
  ]);
  home = new TestHost({ PLOTLINE_SERVER: origin, PLOTLINE_TOKEN: 'secret' });
  let [output, printed] = ['', ''];
  const stdout: TextSink = { write: (part) => (printed += part) };
  const stderr: TextSink = { write: (part) => (output += part), isTTY: true, columns: 120 };
  const host: Host = { env: home.env, cwd: home.folder, stdin: Readable.from([]), stdout, stderr, onInterrupt: () => () => undefined };
  const flags = { argument: id, steps: { from: '0', to: '60' }, wait: true, yes: true };
  expect(await remove(flags, host, new Report(false, stdout, stderr))).toBe(0);
  // The line overwrites itself, and is removed at the end.
  expect(output).toBe('\r\u001b[2Krunning: 10 points removed, 1.5 KiB reclaimed\r\u001b[2K');
  expect(printed).toBe(`Deleted steps 0..60 of ${id}: 366 points removed, 2 files rewritten without them, 3.0 MiB reclaimed.\n`);
});

it('plotline delete shows what it would delete before it asks, and deletes nothing without a yes', async () => {
  const origin = await deletes([]);
  home = new TestHost({ PLOTLINE_SERVER: origin, PLOTLINE_TOKEN: 'secret' });
  deletions = 0;
  let output = '';
  const stderr: TextSink = { write: (part) => (output += part), isTTY: true, columns: 120 };
  const stdin = Object.assign(Readable.from(['n\n']), { isTTY: true });
  const host: Host = { env: home.env, cwd: home.folder, stdin, stdout: stderr, stderr, onInterrupt: () => () => undefined };
  await expect(remove({ argument: id, tag: ['note'] }, host, new Report(false, stderr, stderr))).rejects.toMatchObject({
    message: 'Nothing was deleted.',
  });
  expect(output).toContain('This removes 366 points; no event file is removed. 2 event files (4.0 MiB) are rewritten without them.');
  expect(output.indexOf('This removes')).toBeLessThan(output.indexOf('Delete tag note of'));
  expect(deletions).toBe(0);
});
