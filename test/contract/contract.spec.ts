import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../../apps/read/src/testing/read-service.ts';
import { UploadModule } from '../../apps/upload/src/upload.module.ts';

/* The OpenAPI document and the service agree: Schemathesis, which knows only the document, finds no difference (`npm run test:contract`). */

const run = promisify(execFile);
const folder = join(import.meta.dirname, '../../.cache/contract');
const schemathesis = join(folder, 'bin/schemathesis');
/** Requests for each operation and phase. */
const examples = process.env['CONTRACT_EXAMPLES'] ?? '20';
const seeds = (process.env['CONTRACT_SEEDS'] ?? '1').split(',');
const seconds = process.env['CONTRACT_SECONDS'];

/** What ends the caller, or never ends; other tests are about these. */
const left = ['/api/v1/workspace/leave', '/api/v1/person', '/api/v1/experiments/{experimentId}/events', '/sign-out', '/api/v1/workspace'];

/** Installs Schemathesis the first time. */
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
    service = await startReadService('http://plots.example', [UploadModule]);
    owner = await service.tenant('Lab');
    await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 999999999)', [owner.tenantId]);
  }, 300_000);
  afterAll(() => service?.close());

  it.each(seeds)(
    'is what the service does, with seed %s',
    async (seed) => {
      const experiment = await service.call(owner, 'POST', '/api/v1/experiments', { body: { name: 'mine' } });
      expect(experiment.status).toBe(201);
      const options = [
        `--url=${service.base}`,
        `--header=Authorization: Bearer ${owner.token}`,
        '--checks=all',
        `--max-examples=${examples}`,
        `--seed=${seed}`,
        '--workers=1',
        '--continue-on-failure',
        '--no-color',
        '--request-timeout=60',
        ...(seconds === undefined ? [] : [`--max-time=${seconds}`]),
        ...left.map((path) => `--exclude-path=${path}`),
      ];
      const output = await run(schemathesis, ['run', `${service.base}/api/v1/openapi.json`, ...options], {
        maxBuffer: 256 * 1024 * 1024,
        cwd: folder,
      }).then(
        () => '',
        (error: { stdout?: string; stderr?: string }) => `${error.stdout ?? ''}\n${error.stderr ?? ''}`,
      );
      expect(output).toBe('');
    },
    3_600_000,
  );
});
