import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../../apps/read/src/testing/read-service.ts';
import { UploadModule } from '../../apps/upload/src/upload.module.ts';

/*
 * The OpenAPI document and the service agree: Schemathesis, which knows only the document, finds no
 * difference (`npm run test:contract`).
 */

const run = promisify(execFile);
const folder = join(import.meta.dirname, '../../.cache/contract');
const schemathesis = join(folder, 'bin/schemathesis');
/** Requests per operation and phase. */
const examples = process.env['CONTRACT_EXAMPLES'] ?? '20';
const seeds = (process.env['CONTRACT_SEEDS'] ?? '1').split(',');
const seconds = process.env['CONTRACT_SECONDS'];

/** Routes that delete the caller, or never end; other tests cover them. */
const left = [
  '/api/uploader', // Protobuf.
  '/api/v1/workspace/leave',
  '/api/v1/person',
  '/api/v1/experiments/{experimentId}/events',
  '/sign-out',
  '/api/v1/workspace',
];

/**
 * Constraints that the document cannot express: page tokens, filters, orders, digests, and names of
 * existing objects are rejected by their meaning; an idempotency key with another body is rejected
 * (422).
 */
const refusedByMeaning = [
  'GET /',
  'GET /api/v1/audit',
  'GET /api/v1/experiments',
  'GET /api/v1/experiments/{experimentId}/files',
  'GET /api/v1/experiments/{experimentId}/problems',
  'GET /api/v1/experiments/{experimentId}/runs',
  'GET /api/v1/experiments/{experimentId}/scalars',
  'GET /api/v1/experiments/{experimentId}/series',
  'GET /api/v1/experiments/{experimentId}/tags',
  'GET /api/v1/members',
  'GET /api/v1/tokens',
  'PATCH /api/v1/experiments/{experimentId}/runs',
  'PATCH /api/v1/files/{fileId}',
  'POST /api/v1/experiments/{experimentId}/deletions',
  'POST /api/v1/experiments/{experimentId}/scalars/query',
  'POST /api/v1/service-accounts/{accountId}/workloads',
  'POST /api/v1/token',
  'DELETE /api/v1/workspace',
];

/** Pages return 404 to visitors who are not signed in, so that they reveal nothing. */
const config = `
[checks]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "422", "429", "5xx"]

[[operations]]
include-tag = "pages"
checks.ignored_auth.enabled = false

${refusedByMeaning.map((name) => `[[operations]]\ninclude-name = "${name}"\nchecks.positive_data_acceptance.enabled = false\n`).join('\n')}
`;

/** Installs Schemathesis on first use. */
async function install(): Promise<void> {
  if (existsSync(schemathesis)) return;
  mkdirSync(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin/pip'), ['install', '--quiet', 'schemathesis==4.32.5']);
}

describeWith(['postgres'], 'the OpenAPI document', () => {
  let service: ReadService;
  let owner: TestTenant;
  beforeAll(async () => {
    await install();
    writeFileSync(join(folder, 'schemathesis.toml'), config);
    service = await startReadService('http://plots.example', [UploadModule]);
    owner = await service.tenant('Lab');
    await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 999999999)', [owner.tenantId]);
  }, 300_000);
  afterAll(() => service?.close());

  it.each(seeds)(
    'matches the service, with seed %s',
    async (seed) => {
      const experiment = await service.call(owner, 'POST', '/api/v1/experiments', { body: { name: 'mine' } });
      expect(experiment.status).toBe(201);
      const options = [
        `--url=${service.base}`,
        `--header=Authorization: Bearer ${owner.token}`,
        `--max-examples=${examples}`,
        `--seed=${seed}`,
        '--workers=1',
        '--continue-on-failure',
        '--no-color',
        '--request-timeout=60',
        ...(seconds === undefined ? [] : [`--max-time=${seconds}`]),
        ...left.map((path) => `--exclude-path=${path}`),
      ];
      const output = await run(
        schemathesis,
        ['--config-file', join(folder, 'schemathesis.toml'), 'run', `${service.base}/api/v1/openapi.json`, ...options],
        {
          maxBuffer: 256 * 1024 * 1024,
          cwd: folder,
        },
      ).then(
        () => '',
        (error: { stdout?: string; stderr?: string }) => `${error.stdout ?? ''}\n${error.stderr ?? ''}`,
      );
      expect(output).toBe('');
    },
    3_600_000,
  );
});
