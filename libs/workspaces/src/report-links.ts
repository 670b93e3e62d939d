import { randomUUID } from 'node:crypto';
import { type Caller, hashSecret, newSecret } from '#auth';
import { audit, decide, findCitedExperiments, findReport, forbidden, requireShareable } from '#experiments';
import { type ExperimentId, Problem } from '#model';
import {
  insertReportLink,
  insertShareRoute,
  listReportLinks,
  lockReport,
  readReportLinkOwner,
  type Report,
  type ReportLinkSummary,
  revokeReportLink,
  setReportExperiments,
  type Store,
  type TenantScope,
} from '#store';
import { isUuid } from './standing.ts';

/** The audience of a link to a report. */
export interface ReportLinkRequest {
  readonly name: string;
  /** Whether the link hides names of people, the workspace, files and hosts. */
  readonly anonymous: boolean;
  /** Null for never. */
  readonly expiresInDays: number | null;
}

/** A new link. `secret` is shown only this once. */
export interface MadeReportLink {
  readonly linkId: string;
  readonly secret: string;
  readonly expiresAt: Date | null;
}

const dayMs = 86_400_000;

/**
 * Creates a link to a report, which also shows the experiments in its blocks. `citedIn` returns the
 * experiments that a text cites. Throws `report-not-found`, and `forbidden` if the caller may not
 * share the report or one of these experiments.
 */
export async function makeReportLink(
  store: Store,
  caller: Caller,
  reportId: string,
  { request, citedIn }: { readonly request: ReportLinkRequest; readonly citedIn: (body: string) => readonly ExperimentId[] },
): Promise<MadeReportLink> {
  const { tenantId, personId } = caller;
  const { name, anonymous, expiresInDays } = request;
  const linkId = randomUUID();
  const expiresAt = expiresInDays === null ? null : new Date((await store.clock.now()) + expiresInDays * dayMs);
  await store.withTenant(tenantId, async (scope) => {
    await requireOwnReport(scope, caller, reportId);
    const locked = await lockReport(scope, reportId);
    // The report may have been deleted while this transaction waited
    if (!locked) throw new Problem('report-not-found', 'There is no such report in this workspace. It may have been deleted.');
    const cited = citedIn(locked.body);
    const shown = await findCitedExperiments(scope, cited);
    requireShareable(caller, cited, shown);
    // The text may be older than this column, and experiments may have been restored since.
    await setReportExperiments(
      scope,
      reportId,
      shown.map(({ experimentId }) => experimentId),
    );
    await insertReportLink(scope, { linkId, reportId, name, madeBy: personId, anonymous, expiresAt });
    const details = { anonymous, experiments: shown.length, expires_in_days: expiresInDays };
    await audit(scope, caller, { action: 'share-link.create', objectId: linkId, reportId, details });
  });
  // As for links to experiments: without the route, the link does not work, but nobody has the link
  // yet.
  const secret = newSecret();
  await insertShareRoute(store.global, { linkHash: hashSecret(secret), tenantId, linkId });
  return { linkId, secret, expiresAt };
}

/** The valid links to a report, for members who may share it. */
export async function findReportLinks(scope: TenantScope, caller: Caller, reportId: string, limit: number): Promise<ReportLinkSummary[]> {
  await requireOwnReport(scope, caller, reportId);
  return listReportLinks(scope, reportId, limit);
}

/**
 * Revokes a link of the caller or, for admins, of any member of the workspace. It stops working
 * within five seconds. Throws `share-link-not-found`.
 */
export async function endReportLink(scope: TenantScope, caller: Caller, reportId: string, linkId: string): Promise<void> {
  const { tenantId } = caller;
  const found = isUuid(reportId) && isUuid(linkId) ? await readReportLinkOwner(scope, reportId, linkId) : null;
  const verdict = found && decide(caller, 'report.share', { tenantId, experimentId: null, reportId, ownerId: found.madeBy });
  if (!verdict || verdict === 'hidden') throw new Problem('share-link-not-found', 'There is no such link in this workspace.');
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  await revokeReportLink(scope, linkId);
  await audit(scope, caller, { action: 'share-link.revoke', objectId: linkId, reportId });
}

/** Throws unless the caller may share this report. */
async function requireOwnReport(scope: TenantScope, caller: Caller, reportId: string): Promise<Report> {
  const report = await findReport(scope, caller, reportId);
  const ownerId = report.owner?.id ?? null;
  const verdict = decide(caller, 'report.share', { tenantId: caller.tenantId, experimentId: null, reportId, ownerId });
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  return report;
}
