import type { Caller } from '#auth';
import { type ExperimentId, limits, Problem } from '#model';
import { type CitedExperiment, readCitedExperiments, type TenantScope } from '#store';
import { decide } from './permissions.ts';

/**
 * Returns the cited experiments that exist in the workspace. Looks up at most
 * `maxReportExperiments`: a report that cites more cannot be shared.
 */
export function findCitedExperiments(scope: TenantScope, cited: readonly ExperimentId[]): Promise<CitedExperiment[]> {
  return readCitedExperiments(scope, cited.slice(0, limits.maxReportExperiments));
}

/**
 * Throws unless the caller may show these experiments to anyone with a link to a report. Otherwise,
 * a report would share experiments that its author may not share. `cited`: all experiments of the
 * report.
 */
export function requireShareable(caller: Caller, cited: readonly ExperimentId[], shown: readonly CitedExperiment[]): void {
  if (cited.length > limits.maxReportExperiments)
    throw new Problem(
      'quota-exceeded',
      `A shared report can show ${limits.maxReportExperiments} experiments; this one shows ${cited.length}.`,
    );
  const kept = shown.filter(
    ({ experimentId, ownerId }) => decide(caller, 'experiment.share', { tenantId: caller.tenantId, experimentId, ownerId }) !== 'allowed',
  );
  if (kept.length === 0) return;
  const named = kept.slice(0, 3).map(({ experimentId, name }) => (name === '' ? experimentId : `“${name}”`));
  const more = kept.length > named.length ? ` and ${kept.length - named.length} more` : '';
  throw new Problem(
    'forbidden',
    `Anyone with a link to this report can view its experiments, and you may not share ${named.join(', ')}${more}. Show a snapshot instead, or ask the experiment's owner or an admin.`,
  );
}
