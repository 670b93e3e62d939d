import type { TestProject } from 'vitest/node';
import { findDockerEngine } from './docker-engine.ts';
import { checkRequired, type PartStates } from './parts.ts';
import { makeTemplate, type TemplateDatabase } from './template-database.ts';
import { findPostgres } from './test-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    parts: PartStates;
    /** Null when the part `postgres` is missing. */
    postgres: TemplateDatabase | null;
  }
}

/** Before the first medium or e2e test: finds the parts of this machine, starts those that it can, and makes the migrated template database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const docker = await findDockerEngine();
  const postgres = await findPostgres(docker);
  const states: PartStates = {
    docker,
    postgres: 'url' in postgres ? { found: postgres.how } : postgres,
    redis: fromEnvironment('TEST_REDIS_URL'),
    s3: fromEnvironment('TEST_S3_ENDPOINT'),
    chromium: fromEnvironment('TEST_CHROMIUM'),
  };
  let template: Awaited<ReturnType<typeof makeTemplate>> | null = null;
  const stop = async () => {
    await template?.drop();
    if ('stop' in postgres) await postgres.stop();
  };
  try {
    checkRequired(states, process.env.TEST_REQUIRE);
    if ('url' in postgres) template = await makeTemplate(postgres.url);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('parts', states);
  project.provide('postgres', template && { adminUrl: template.adminUrl, name: template.name });
  return stop;
}

/** Parts that nothing here starts: they are there when the environment says where. */
function fromEnvironment(name: string) {
  const value = process.env[name];
  return value ? { found: name } : { missing: `${name} is not set` };
}
