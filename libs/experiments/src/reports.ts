import { randomUUID } from 'node:crypto';
import type { Caller } from '#auth';
import { type ExperimentId, limits, Problem } from '#model';
import {
  insertReport,
  listReports,
  lockReport,
  lockReports,
  readReport,
  removeReport,
  type Report,
  type ReportSummary,
  type TenantScope,
  updateReport,
} from '#store';
import { forbidden } from './access.ts';
import { audit } from './audit.ts';
import { findCitedExperiments, requireShareable } from './cited-experiments.ts';
import { checkText } from './experiment-names.ts';
import { staleToken } from './page-token.ts';
import { type Action, decide } from './permissions.ts';

/** The content of a report. */
export interface ReportText {
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  /** The experiments in the blocks of the body, existing or not. */
  readonly cited: readonly ExperimentId[];
}

/** A change to a report. */
export interface ReportChange extends Partial<{ readonly [Key in keyof ReportText]: ReportText[Key] | undefined }> {
  /** The version that the change is based on. */
  readonly version: number;
}

/**
 * A page of reports in the caller's workspace, last changed first. Throws if the last report of the
 * previous page was deleted.
 */
export async function findReports(
  scope: TenantScope,
  caller: Caller,
  page: { readonly after: string | null; readonly limit: number },
): Promise<ReportSummary[]> {
  requireAction(caller, 'report.read');
  const found = await listReports(scope, page);
  if (!found) throw staleToken();
  return found;
}

/** A report, for members. Throws `report-not-found`. */
export async function findReport(scope: TenantScope, caller: Caller, reportId: string): Promise<Report> {
  requireAction(caller, 'report.read');
  const found = uuid.test(reportId) ? await readReport(scope, reportId) : null;
  if (!found) throw noSuchReport();
  return found;
}

/**
 * A report, for members and for visitors with a link to it; an anonymous link shows no names of
 * people. Throws `report-not-found`.
 */
export async function viewReport(scope: TenantScope, caller: Caller, reportId: string): Promise<Report> {
  const verdict = decide(caller, 'report.view', { tenantId: caller.tenantId, experimentId: null, reportId, ownerId: null });
  if (verdict === 'hidden') throw noSuchReport();
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  const found = uuid.test(reportId) ? await readReport(scope, reportId) : null;
  if (!found) throw noSuchReport();
  return caller.view?.anonymous ? { ...found, owner: null, updatedBy: null } : found;
}

/** Creates a report. Throws `quota-exceeded` if the workspace has too many. */
export async function createReport(scope: TenantScope, caller: Caller, text: ReportText): Promise<Report> {
  requireAction(caller, 'report.write');
  const [title, body] = [checkTitle(text.title), checkBody(text.body)];
  if ((await lockReports(scope)) >= limits.maxReports)
    throw new Problem('quota-exceeded', `A workspace can have ${limits.maxReports} reports. Delete some that you do not need.`);
  const reportId = randomUUID();
  const experiments = (await findCitedExperiments(scope, text.cited)).map(({ experimentId }) => experimentId);
  await insertReport(scope, { reportId, ownerId: caller.personId, title, body, experiments });
  await audit(scope, caller, { action: 'report.create', objectId: reportId });
  return (await readReport(scope, reportId))!;
}

/**
 * Changes a report. Throws `report-not-found`, `report-changed` if somebody else changed it after
 * the version in `change`, and `forbidden` if links to it would show experiments that the caller
 * may not share.
 */
export async function changeReport(scope: TenantScope, caller: Caller, reportId: string, change: ReportChange): Promise<Report> {
  requireAction(caller, 'report.write');
  const title = change.title === undefined ? undefined : checkTitle(change.title);
  const body = change.body === undefined ? undefined : checkBody(change.body);
  const found = await findReport(scope, caller, reportId);
  const { version, cited = [] } = change;
  const before = body === undefined ? null : await lockReport(scope, reportId);
  const shown = before && (await findCitedExperiments(scope, cited));
  const experiments = shown?.map(({ experimentId }) => experimentId);
  if (!(await updateReport(scope, reportId, { title, body, experiments, version, changedBy: caller.personId }))) {
    // The report may have been deleted or changed since it was read.
    const current = await findReport(scope, caller, reportId);
    const by = current.updatedBy?.name || found.updatedBy?.name || 'A former member';
    throw new Problem(
      'report-changed',
      `${by} changed this report at ${current.updatedAt.toISOString()}. Your change is based on version ${version}; the current version is ${current.version}. Read it again, and repeat your change.`,
    );
  }
  if (before?.isShared) {
    const known = new Set(before.experiments);
    const added = shown!.filter(({ experimentId }) => !known.has(experimentId));
    requireShareable(caller, cited, added);
  }
  const changed = [...(title === undefined ? [] : (['title'] as const)), ...(body === undefined ? [] : (['body'] as const))];
  await audit(scope, caller, { action: 'report.update', objectId: reportId, details: { changed } });
  return findReport(scope, caller, reportId);
}

/** Deletes the caller's report or, for admins, any member's report. Throws `report-not-found`. */
export async function deleteReport(scope: TenantScope, caller: Caller, reportId: string): Promise<void> {
  const { owner } = await findReport(scope, caller, reportId);
  requireAction(caller, 'report.delete', owner?.id ?? null);
  await removeReport(scope, reportId);
  await audit(scope, caller, { action: 'report.delete', objectId: reportId });
}

function noSuchReport(): Problem {
  return new Problem('report-not-found', 'There is no such report in this workspace. It may have been deleted.');
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Throws unless the caller may perform the action, on a report owned by `ownerId` or on any report.
 */
function requireAction(caller: Caller, action: Action, ownerId?: string | null): void {
  const verdict = decide(caller, action, ownerId === undefined ? null : { tenantId: caller.tenantId, experimentId: null, ownerId });
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
}

function checkTitle(title: string): string {
  const text = checkText(title.trim(), 'title', limits.maxReportTitleCharacters);
  if (text === '') throw new Problem('invalid-name', 'Enter a title for the report.');
  return text;
}

function checkBody(body: string): string {
  const text = checkText(body, 'report', limits.maxReportBytes);
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.maxReportBytes)
    throw new Problem('name-too-long', `The report has ${bytes} bytes of UTF-8; the limit is ${limits.maxReportBytes}.`);
  return text;
}
