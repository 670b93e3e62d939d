import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findChromium } from './chromium.ts';
import { findDockerEngine } from './docker-engine.ts';
import { checkRequired, type PartStates, requiredParts } from './parts.ts';
import { findPrometheus } from './prometheus-programs.ts';
import { reviewSql, writeSql } from './sql-review.ts';
import { findStockTensorBoard } from './stock-tensorboard.ts';
import { findProgram, findS3Transfer, findTables, findTrackers } from './sync-programs.ts';
import { changedSinceBuild } from './stale-build.ts';
import { makeTemplate, type TemplateDatabase } from './template-database.ts';
import { findPostgres } from './test-postgres.ts';
import type { S3Access } from './s3-bucket.ts';
import { findRedis } from './test-redis.ts';
import { findS3 } from './test-s3.ts';

declare module 'vitest' {
  interface ProvidedContext {
    parts: PartStates;
    /** Null if the part `postgres` is missing. */
    postgres: TemplateDatabase | null;
    /** Address of the Redis that all suites share. Null if the part `redis` is missing. */
    redisUrl: string | null;
    /** The S3 server that all suites share. Null if the part `s3` is missing. */
    s3: S3Access | null;
    /** Where test files write the SQL that they recorded. */
    notedSqlFolder: string;
  }
}

/**
 * Runs before the first medium or e2e test. Finds the available parts, starts those that it can,
 * and creates the migrated template database.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const changed = project.name === 'medium' ? null : changedSinceBuild(join(import.meta.dirname, '../../..'));
  if (changed !== null) process.stderr.write(`${changed} changed after the build that these tests run. Run npm run build first.\n`);
  const required = requiredParts(process.env.TEST_REQUIRE); // throws for a typo before any server starts
  const docker = await findDockerEngine();
  const postgres = await findPostgres(docker);
  const redis = await findRedis(docker);
  const s3 = await findS3(docker);
  const states: PartStates = {
    docker,
    postgres: 'url' in postgres ? { found: postgres.how } : postgres,
    redis: 'url' in redis ? { found: redis.how } : redis,
    s3: 'access' in s3 ? { found: s3.how } : s3,
    chromium: await findChromium(),
    // Only the conformance tests run TensorBoard.
    tensorboard: await findStockTensorBoard(project.name === 'conformance' || required.includes('tensorboard')),
    rsync: await findProgram('rsync'),
    rclone: await findProgram('rclone'),
    s3transfer: findS3Transfer(),
    tables: findTables(),
    trackers: findTrackers(),
    prometheus: await findPrometheus(),
    citus: 'workerUrls' in postgres ? { found: postgres.how } : { missing: 'npm run test:citus starts it' },
    'plain-postgres': 'workerUrls' in postgres ? { missing: 'this is a cluster' } : 'url' in postgres ? { found: postgres.how } : postgres,
  };
  let template: Awaited<ReturnType<typeof makeTemplate>> | null = null;
  const notedSqlFolder = await mkdtemp(join(tmpdir(), 'plotline-sql-'));
  const stop = async () => {
    await template?.drop();
    if ('stop' in postgres) await postgres.stop();
    if ('stop' in redis) await redis.stop();
    if ('stop' in s3) await s3.stop();
  };
  try {
    checkRequired(states, process.env.TEST_REQUIRE);
    if ('url' in postgres) template = await makeTemplate(postgres.url, 'workerUrls' in postgres ? postgres.workerUrls : null);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('parts', states);
  project.provide('postgres', template && { adminUrl: template.adminUrl, name: template.name, workerUrls: template.workerUrls });
  project.provide('redisUrl', 'url' in redis ? redis.url : null);
  project.provide('s3', 'access' in s3 ? s3.access : null);
  project.provide('notedSqlFolder', notedSqlFolder);
  return async () => {
    await stop();
    try {
      if (process.env.UPDATE_SQL === '1') await writeSql(notedSqlFolder, project.name === 'medium' && (await isFullRun(project, states)));
      else await reviewSql(notedSqlFolder);
    } finally {
      await rm(notedSqlFolder, { recursive: true, force: true });
    }
  };
}

/**
 * Whether every test in the project that needs Postgres ran and passed: none was filtered out, and
 * no part that statements depend on is missing.
 */
async function isFullRun(project: TestProject, states: PartStates): Promise<boolean> {
  if (project.vitest.config.testNamePattern !== undefined) return false;
  if (![states.postgres, states.redis, states.s3].every((state) => 'found' in state)) return false;
  const { testFiles } = await project.globTestFiles();
  const modules = project.vitest.state.getTestModules().filter((module) => module.project.name === project.name);
  return testFiles.every((file) => modules.some((module) => module.moduleId === file && module.ok()));
}
