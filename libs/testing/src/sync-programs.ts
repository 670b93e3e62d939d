import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PartState } from './parts.ts';
import { repositoryRoot } from './repository-root.ts';

/** Finds a sync program on the PATH. */
export async function findProgram(name: string): Promise<PartState> {
  // Not installed.
  const version = await promisify(execFile)(name, ['--version']).catch(() => null);
  return version ? { found: version.stdout.split('\n')[0]!.trim() } : { missing: `${name} is not installed` };
}

/** The Python with boto3, which uses s3transfer as awscli does. `.ci/run` installs it. */
export function findS3Transfer(): PartState {
  const python = join(repositoryRoot(), '.cache/s3transfer/bin/python');
  return existsSync(python) ? { found: python } : { missing: 'there is no Python with boto3 in .cache/s3transfer' };
}

/**
 * The Python with pandas, pyarrow, Polars and DuckDB: `TEST_TABLES`, or the Python that `.ci/run`
 * installs.
 */
export function findTables(): PartState {
  const python = process.env.TEST_TABLES ?? join(repositoryRoot(), '.cache/tables/bin/python');
  return existsSync(python)
    ? { found: python }
    : { missing: 'there is no Python with pandas, pyarrow, Polars and DuckDB in .cache/tables' };
}

/**
 * The Python with W&B, MLflow and Trackio: `TEST_TRACKERS`, or the Python that `.ci/run` installs.
 */
export function findTrackers(): PartState {
  const python = process.env.TEST_TRACKERS ?? join(repositoryRoot(), '.cache/trackers/bin/python');
  return existsSync(python) ? { found: python } : { missing: 'there is no Python with W&B, MLflow and Trackio in .cache/trackers' };
}
