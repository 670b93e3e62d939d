import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../../apps/read/src/testing/read-service.ts';
import { StoredRuns } from '../../apps/read/src/testing/stored-runs.ts';
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
/** For each seed, half of the requests have random IDs, and half have IDs of existing objects. */
const seconds = process.env['CONTRACT_SECONDS'];

/** Routes that delete the caller, or whose responses never end; other tests cover them. */
const left = [
  '/api/uploader', // Protobuf.
  '/api/v1/workspace/leave',
  '/api/v1/person',
  '/api/v1/experiments/{experimentId}/events',
  '/sign-out',
  '/api/v1/workspace',
];

/**
 * Constraints that the document cannot express (docs/api.md): page tokens, filters, orders, chart
 * views, digests, NUL in names, dates, origin ports, MCP messages, and names of existing objects
 * are rejected for semantic reasons; an idempotency key with another body is rejected (422).
 */
const rejectedByMeaning = [
  'GET /',
  'GET /e/{experimentId}/{picture}',
  'GET /embed/{secret}',
  'GET /api/v1/audit',
  'GET /api/v1/experiments',
  'GET /api/v1/experiments/{experimentId}/files',
  'GET /api/v1/experiments/{experimentId}/logs',
  'GET /api/v1/experiments/{experimentId}/problems',
  'GET /api/v1/experiments/{experimentId}/runs',
  'GET /api/v1/experiments/{experimentId}/scalars',
  'GET /api/v1/experiments/{experimentId}/series',
  'GET /api/v1/experiments/{experimentId}/tags',
  'GET /api/v1/members',
  'GET /api/v1/reports',
  'GET /api/v1/tokens',
  'PATCH /api/v1/experiments/{experimentId}',
  'PATCH /api/v1/experiments/{experimentId}/runs',
  'PATCH /api/v1/files/{fileId}',
  'PATCH /api/v1/reports/{reportId}',
  'PATCH /api/v1/uploads/files/{fileId}',
  'PATCH /api/v1/views/{viewId}',
  'POST /api/v1/device',
  'POST /api/v1/experiments',
  'POST /api/v1/experiments/{experimentId}/blob-sequences/query',
  'POST /api/v1/experiments/{experimentId}/deletions',
  'POST /api/v1/experiments/{experimentId}/exports',
  'POST /api/v1/experiments/{experimentId}/files',
  'POST /api/v1/experiments/{experimentId}/repair',
  'POST /api/v1/experiments/{experimentId}/scalars/query',
  'POST /api/v1/experiments/{experimentId}/share-links',
  'POST /api/v1/experiments/{experimentId}/snapshots',
  'POST /api/v1/experiments/{experimentId}/tensors/query',
  'POST /api/v1/experiments/{experimentId}/views',
  'POST /api/v1/reports',
  'POST /api/v1/reports/{reportId}/share-links',
  'POST /api/v1/service-accounts',
  'POST /api/v1/service-accounts/{accountId}/tokens',
  'POST /api/v1/service-accounts/{accountId}/workloads',
  'POST /api/v1/token',
  'POST /api/v1/tokens',
  'POST /api/v1/uploads/experiments/{experimentId}/files',
  'POST /api/v1/workspaces',
  'POST /mcp',
  'DELETE /api/v1/workspace',
];

/** Existing objects, for request paths. */
interface Objects {
  readonly experimentId: string;
  readonly fileId: string;
  /** The experiment to delete, so that the other experiment remains. */
  readonly spareId: string;
}

/**
 * Pages return 404 to visitors who are not signed in, so that the pages reveal nothing. 408:
 * `wait_for` may name an epoch that does not exist yet; `timeout=0` avoids the wait. 413 and 431: a
 * body or a URL can be rejected as too large before its schema is checked.
 */
function configOf(objects: Objects | null): string {
  const experiment = (id: string) => `"path.experimentId" = "${id}"`;
  const deletes = ['DELETE /api/v1/experiments/{experimentId}', 'POST /api/v1/experiments/{experimentId}/deletions'];
  return `
[parameters]
"query.timeout" = "0"
${objects ? `${experiment(objects.experimentId)}\n"path.fileId" = "${objects.fileId}"` : ''}

[checks]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "406", "408", "409", "413", "415", "422", "428", "429", "431", "503"]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", "401", "403", "404", "408", "409", "410", "422", "429", "431", "503"]

[[operations]]
include-tag = "pages"
checks.ignored_auth.enabled = false

${rejectedByMeaning.map((name) => `[[operations]]\ninclude-name = "${name}"\nchecks.positive_data_acceptance.enabled = false\n`).join('\n')}
${objects ? deletes.map((name) => `[[operations]]\ninclude-name = "${name}"\nparameters = { ${experiment(objects.spareId)} }\n`).join('\n') : ''}
`;
}

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
    service = await startReadService('http://plots.example', [UploadModule]);
  }, 900_000);
  afterAll(() => service?.close());

  /** Creates an experiment with a run, a series and a file. */
  async function objects(): Promise<Objects> {
    const runs = await StoredRuns.start(service, owner);
    const runId = await runs.run('lr=0.01');
    await runs.series(runId, { tag: 'val/acc' });
    const fileId = await runs.file(runId, 'events.out.tfevents.1.host', { bytes: 10 });
    const spare = await StoredRuns.start(service, owner);
    await spare.run('lr=0.01');
    return { experimentId: runs.experimentId, fileId, spareId: spare.experimentId };
  }

  /** Runs Schemathesis. Returns its output and its exit code, which is 0 if it found nothing. */
  async function report(config: string, options: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
    const file = join(folder, 'schemathesis.toml');
    writeFileSync(file, config);
    return run(schemathesis, ['--config-file', file, 'run', `${service.base}/api/v1/openapi.json`, ...options], {
      maxBuffer: 256 * 1024 * 1024,
      cwd: folder,
    }).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      (error: { stdout?: string; stderr?: string }) => ({ code: 1, text: `${error.stdout ?? ''}\n${error.stderr ?? ''}` }),
    );
  }

  it.each(seeds.flatMap((seed) => [[seed, 'any objects'] as const, [seed, 'objects that exist'] as const]))(
    'matches the service, with seed %s and %s',
    async (seed, which) => {
      owner = await service.tenant('Lab'); // the requests of the previous run may have revoked the token of its owner
      await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 999999999)', [owner.tenantId]);
      const { code, text } = await report(configOf(which === 'any objects' ? null : await objects()), [
        `--url=${service.base}`,
        `--header=Authorization: Bearer ${owner.token}`,
        `--max-examples=${examples}`,
        `--seed=${seed}`,
        '--workers=1',
        '--continue-on-failure',
        '--no-color',
        '--request-timeout=60',
        ...(seconds === undefined ? [] : [`--max-time=${Number(seconds) / 2}`]),
        ...left.map((path) => `--exclude-path=${path}`),
      ]);
      if (code === 0) process.stdout.write(`seed ${seed}, ${which}:\n${summaryOf(text)}\n`);
      expect(code === 0 ? '' : text).toBe('');
    },
    3_600_000,
  );
});

/** Returns the counts at the end of a report. */
function summaryOf(text: string): string {
  return text.slice(Math.max(0, text.lastIndexOf('SUMMARY')));
}
