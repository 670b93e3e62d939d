import { inspect } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { UploadModule } from '../../../upload/src/upload.module.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

/* Reliability test 37: places that must not contain a token. */

/** Number of access tokens, and of JWTs created from them. */
const count = 500;

describeWith(['postgres'], 'the secrets of a thousand tokens', () => {
  let service: ReadService;
  let owner: TestTenant;
  /** The service's complete log. */
  const logged: string[] = [];
  const listen = (...parts: unknown[]): void =>
    void logged.push(parts.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' '));
  const logger: LoggerService = { log: listen, error: listen, warn: listen, debug: listen, verbose: listen, fatal: listen };
  beforeAll(async () => {
    service = await startReadService('http://plots.example', [UploadModule], { logger });
    owner = await service.tenant();
  });
  afterAll(() => service?.close());

  it('are in no table, log line or response except the one that returns them', { timeout: 240_000 }, async () => {
    const secrets: string[] = [];
    const responses: string[] = [];
    for (let i = 0; i < count; i++) {
      const { token } = (await service.call(owner, 'POST', '/api/v1/tokens', { body: { name: `token ${i}` } })).json;
      const as = { ...owner, token };
      const exchanged = await service.call(null, 'POST', '/api/v1/token', {
        body: {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          subject_token: token,
        },
      });
      const jwt = exchanged.json.access_token;
      secrets.push(token, jwt);
      const rejected = [
        await service.call(as, 'GET', '/api/v1/experiments/missing'),
        await service.call(as, 'POST', '/api/v1/experiments', { body: { name: 7 } }),
        await service.call({ ...owner, token: `${token.slice(0, -1)}-` }, 'GET', '/api/v1/whoami'),
        await service.call({ ...owner, token: jwt }, 'POST', '/api/v1/tokens', { body: { name: 'x' } }),
        await service.call(null, 'POST', '/api/v1/token', { body: { subject_token: token } }),
      ];
      for (const { status, text } of rejected) expect([status >= 400 && status < 500, text]).toEqual([true, text]);
      responses.push(...rejected.map(({ text }) => text));
      if (i % 10 === 0)
        responses.push(
          (
            await service.call(as, 'POST', '/api/v1/experiments', {
              headers: { 'idempotency-key': `key ${i}`.replace(' ', '-') },
              body: {},
            })
          ).text,
        );
    }
    responses.push((await service.call(owner, 'GET', '/api/v1/tokens?everybody=true')).text);
    // Internal errors are logged in full.
    await service.sql('alter table experiment rename to experiment_away');
    for (const token of secrets.slice(0, 20)) responses.push((await service.call({ ...owner, token }, 'GET', '/api/v1/experiments')).text);
    await service.sql('alter table experiment_away rename to experiment');
    expect(logged.length).toBeGreaterThan(20);

    const tables = await service.sql(`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`);
    const dump: string[] = [];
    for (const { relname } of tables) {
      for (const { row } of await service.sql(`select t::text as row from "${String(relname)}" t`)) dump.push(String(row));
    }
    expect(dump.length).toBeGreaterThan(2 * count);
    const everything = [...dump, ...logged, ...responses].join('\n');
    const hits = secrets.flatMap((secret) => {
      const inner = secret.startsWith('plt_') ? secret.slice(4, 34) : secret.split('.')[2]!; // the significant part
      return [
        secret,
        inner,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64'),
        Buffer.from(inner).toString('hex'),
      ].filter((form) => everything.includes(form));
    });
    expect(hits).toEqual([]);
  });
});
