/** A workspace's reports, and links to them. */
export { insertReport } from '../queries/reports/insert-report.ts';
export { insertReportLink } from '../queries/reports/insert-report-link.ts';
export { listReportLinks, type ReportLinkSummary } from '../queries/reports/list-report-links.ts';
export { lockReport } from '../queries/reports/lock-report.ts';
export { lockReports } from '../queries/reports/lock-reports.ts';
export { listReports, readReport, type Report, type ReportSummary } from '../queries/reports/read-reports.ts';
export { type CitedExperiment, readCitedExperiments } from '../queries/reports/read-cited-experiments.ts';
export { readReportLink } from '../queries/reports/read-report-link.ts';
export { readReportLinkOwner, revokeReportLink } from '../queries/reports/revoke-report-link.ts';
export { setReportExperiments } from '../queries/reports/set-report-experiments.ts';
export { removeReport } from '../queries/reports/remove-report.ts';
export { type ReportChanges, updateReport } from '../queries/reports/update-report.ts';
