import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PartState } from './parts.ts';
import { repositoryRoot } from './repository-root.ts';

/** Where `.ci/run` unpacks the Debian package. */
const unpacked = join(repositoryRoot(), '.cache/prometheus/usr/bin');

/** `prometheus` or `promtool`: from `.cache/prometheus`, or on the PATH. */
export function prometheusProgram(name: 'prometheus' | 'promtool'): string {
  const file = join(unpacked, name);
  return existsSync(file) ? file : name;
}

/** Whether `prometheus` and `promtool` can be run. */
export async function findPrometheus(): Promise<PartState> {
  const run = promisify(execFile);
  try {
    await run(prometheusProgram('promtool'), ['--version']);
    const { stdout, stderr } = await run(prometheusProgram('prometheus'), ['--version']);
    return { found: `${stdout}${stderr}`.split('\n')[0]! };
  } catch {
    return { missing: 'prometheus and promtool are neither on the PATH nor in .cache/prometheus' };
  }
}
