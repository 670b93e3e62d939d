import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { describeWith, tableRows, writeEventFile } from '#testing';
import { each } from '../e2e/lanes.ts';
import { Sender } from '../e2e/sender.ts';
import { Service } from '../e2e/service.ts';
import { valuesOf } from './redis-values.ts';
import { watchRedis } from './watch-redis.ts';

/*
 * Reliability test 37 for separate processes: 900 tokens are used in every way, but only their
 * hashes are stored, and no part of them is sent to Redis.
 */

const count = 900; // A member has at most 1,000 tokens.
const pieceLength = 24;

/**
 * Finds secrets in arbitrary data. It holds a piece of each encoding of each secret, and looks up
 * every substring of the same length and alphabet.
 */
class SecretSearch {
  /** Maps a piece to the label of its secret. */
  readonly #pieces = new Map<string, string>();

  /** `label`: names a hit, so that test output contains no secret. */
  add(label: string, secret: string): void {
    // Only the signature of a JWT: the rest is not secret.
    const inner = secret.startsWith('plt_') ? secret.slice(4) : secret.split('.').at(-1)!;
    const bytes = Buffer.from(inner.slice(0, 32));
    const spellings = [bytes.toString(), bytes.toString('hex')];
    // The three base64 encodings, by the offset of the secret.
    for (const before of [0, 1, 2])
      spellings.push(
        Buffer.concat([Buffer.alloc(before), bytes])
          .toString('base64')
          .slice(4),
      );
    for (const spelling of spellings) {
      if (spelling.length < pieceLength) throw new Error(`${label} is too short to be searched for`);
      this.#pieces.set(spelling.slice(0, pieceLength), label);
    }
  }

  /** Labels of the secrets in the text. */
  in(text: string): string[] {
    const found = new Set<string>();
    for (const [run] of text.matchAll(/[A-Za-z0-9_+/=-]{24,}/g)) {
      for (let at = 0; at + pieceLength <= run.length; at++) {
        const label = this.#pieces.get(run.slice(at, at + pieceLength));
        if (label !== undefined) found.add(label);
      }
    }
    return [...found];
  }
}

describeWith(['postgres', 'redis', 's3'], 'the secrets of separate processes', () => {
  it('reach neither Redis nor jobs, tables, files, logs or command lines', { timeout: 1_200_000 }, async () => {
    const service = await Service.start({
      processes: 'apart',
      env: { PLOTLINE_PUBLIC_REQUESTS_PER_MINUTE: '1000000', PLOTLINE_LOG_LEVEL: 'debug', PLOTLINE_METRICS_PORT: '0' },
    });
    const redis = new Redis(service.apart.redis.url);
    // Every command to Redis with its arguments, because jobs do not remain in Redis.
    const watch = await watchRedis(service.apart.redis.url);
    try {
      const search = new SecretSearch();
      const { url } = service;
      const ask = async (token: string | null, path: string, body?: unknown): Promise<{ status: number; text: string }> => {
        for (let tries = 1; ; tries++) {
          const response = await fetch(url + path, {
            ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
            headers: {
              ...(body !== undefined && { 'content-type': 'application/json' }),
              ...(token !== null && { authorization: `Bearer ${token}` }),
            },
          });
          const text = await response.text();
          // A service on a busy machine responds with 503, and the test retries as clients do.
          if (response.status !== 503 || tries === 20) return { status: response.status, text };
          await sleep(1_000);
        }
      };
      const made = async (token: string | null, path: string, body: unknown): Promise<Record<string, string>> => {
        const { status, text } = await ask(token, path, body);
        expect([path, status >= 200 && status < 300, status]).toEqual([path, true, status]);
        return JSON.parse(text) as Record<string, string>;
      };
      const owner = await service.token();
      const sender = await Sender.start(service);
      search.add("the owner's token", owner);
      const responses: string[] = [];

      await each(Array.from({ length: count }), async (_, i) => {
        const { token } = await made(owner, '/api/v1/tokens', { name: `token ${i}`, scopes: ['read', 'upload', 'manage'] });
        const { access_token: jwt } = await made(null, '/api/v1/token', {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          subject_token: token,
        });
        search.add(`token ${i}`, token!);
        search.add(`JWT ${i}`, jwt!);
        // Alternates between token and JWT, both for requests that enqueue jobs and for rejected
        // requests.
        const credential = [token!, jwt!][i % 2]!;
        if (i % 10 < 2) {
          const bytes = writeEventFile([{ step: 1, simpleValues: { loss: i } }]);
          const announced = await made(credential, `/api/v1${sender.path}/files`, { run: `run ${i}`, name: 'events.out.tfevents.1' });
          await expect
            .poll(async () => (await sender.append(announced.file_id!, 0, bytes, { authorization: `Bearer ${credential}` })).status)
            .toBe(204);
        } else {
          expect((await ask(credential, `/api/v1${sender.path}`)).status).toBe(200);
        }
        const rejections = [
          () => ask(credential, '/api/v1/experiments/missing'),
          () => ask(credential, '/api/v1/experiments', { name: 7 }),
          () => ask(`${credential.slice(0, -1)}-`, '/api/v1/whoami'),
        ];
        const { status, text } = await rejections[i % 3]!();
        expect([400, 401, 404]).toContain(status);
        responses.push(text);
      });
      // The service's other secrets, and the credentials for which they are exchanged.
      for (let i = 0; i < 20; i++) {
        for (const [what, path, body] of [
          ['link', `/api/v1${sender.path}/share-links`, {}],
          ['invitation', '/api/v1/invitations', { role: 'member' }],
          ['sign-in link', '/api/v1/sign-in-links', {}],
        ] as const) {
          const secret = (await made(owner, path, body)).url!.split('/').at(-1)!;
          search.add(`${what} ${i}`, secret);
          const kind = { link: 's', invitation: 'join', 'sign-in link': 'sign-in' }[what];
          const opened = await fetch(`${url}/${kind}/${secret}`, { redirect: 'manual' });
          for (const cookie of opened.headers.getSetCookie()) {
            const value = cookie.split(';')[0]!.split('=')[1]!;
            if (value.split('.').at(-1)!.length >= 28) search.add(`the cookie of ${what} ${i}`, value);
          }
        }
        search.add(`device code ${i}`, (await made(null, '/api/v1/device', {})).device_code!);
      }
      await sender.visible();
      const { postgres, s3 } = service.apart;
      const roles = ['plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator', 'postgres'] as const;
      const configured = [s3.secretAccessKey, ...roles.map((role) => postgres.password(role))];

      const sent = watch.lines();
      const kept = [...sent];
      for (const name of await redis.keys('*')) kept.push(name, ...(await valuesOf(redis, name)));
      const queue = kept.join('\n');
      expect(search.in(queue)).toEqual([]);
      // Shows that the search reads jobs, which contain IDs.
      expect(queue).toContain(sender.experimentId);
      expect(sent.filter((command) => command.includes(sender.experimentId)).length).toBeGreaterThan(50);

      let rows = 0;
      for await (const { table, text } of tableRows(postgres.url(undefined, 'plotline'))) {
        rows++;
        expect([table, search.in(text)]).toEqual([table, []]);
      }
      expect(rows).toBeGreaterThan(2 * count);
      expect(search.in(service.output)).toEqual([]);
      expect(service.output.length).toBeGreaterThan(1_000);
      expect(search.in(responses.join('\n'))).toEqual([]);

      const commandLines: string[] = [];
      for (const pid of await allProcesses()) commandLines.push((await textOf(`/proc/${pid}/cmdline`)).replaceAll('\0', ' '));
      expect(commandLines.filter((line) => line.includes('dist/apps/read/src/main.js')).length).toBeGreaterThanOrEqual(2);
      expect(search.in(commandLines.join('\n'))).toEqual([]);
      for (const [where, text] of [
        ['Redis', queue],
        ['the logs', service.output],
        ['command lines', commandLines.join('\n')],
        ['answers', responses.join('\n')],
      ] as const)
        expect([where, configured.filter((secret) => text.includes(secret)).length]).toEqual([where, 0]);

      // The Postgres files with the write-ahead log, the Postgres log, and the objects contain data
      // that tables no longer show.
      const found: string[] = [];
      let files = 0;
      for (const file of await filesBelow(service.dataDir)) {
        if (file.endsWith('credentials.json')) continue; // The owner's own file, mode 0600.
        files++;
        found.push(...search.in(await textOf(file)).map((label) => `${label} in ${file}`));
      }
      expect(files).toBeGreaterThan(100);
      expect(found).toEqual([]);

      // Shows that the search finds a secret.
      await redis.set('planted', `Bearer ${owner}`);
      expect(search.in((await valuesOf(redis, 'planted')).join(' '))).toEqual(["the owner's token"]);
      for (const code of ['hex', 'base64'] as const)
        expect(search.in(Buffer.from(`x${owner}`).toString(code))).toEqual(["the owner's token"]);
    } finally {
      watch.close();
      redis.disconnect();
      await service.dispose();
    }
  });
});

/** Returns the contents of a file, one character per byte; empty if the file is gone. */
async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code))) return '';
    throw error;
  }
}

async function allProcesses(): Promise<string[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
