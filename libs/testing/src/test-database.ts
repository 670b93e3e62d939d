import { describe, inject } from 'vitest';
import type { Part } from './parts.ts';
import { copyTemplate, type TestDatabase } from './template-database.ts';
import './global-setup.ts'; // For the types of provided values.

/** A migrated database for this test file only. `drop` it in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = inject('postgres');
  if (!template) throw new Error('This suite needs Postgres: put it into describeWith(["postgres"], …).');
  return copyTemplate(template);
}

/** A database without our tables, for tests of roles and migrations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const template = inject('postgres');
  if (!template) throw new Error('This suite needs Postgres: put it into describeWith(["postgres"], …).');
  return copyTemplate(template, true);
}

/** Whether test databases are distributed over a cluster. */
export function isCluster(): boolean {
  return (inject('postgres')?.workerUrls ?? null) !== null;
}

/**
 * `describe` for a suite that needs parts. If one is missing, the suite is skipped. The title of
 * the skipped suite contains the reason, and `npm test` lists it at the end.
 */
export function describeWith(needed: readonly Part[], title: string, suite: () => void): void {
  const states = inject('parts');
  const missing = needed.flatMap((part) => {
    const state = states[part];
    return 'missing' in state ? [`${part}: ${state.missing}`] : [];
  });
  if (missing.length === 0) describe(title, suite);
  // eslint-disable-next-line vitest/no-disabled-tests -- the runner lists what was skipped, and why
  else describe.skip(`${title} [needs ${missing.join('; ')}]`, suite);
}
