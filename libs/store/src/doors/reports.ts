/** Reports of a workspace. */
export { insertReport } from '../queries/reports/insert-report.ts';
export { lockReports } from '../queries/reports/lock-reports.ts';
export { listReports, readReport, type Report, type ReportSummary } from '../queries/reports/read-reports.ts';
export { removeReport } from '../queries/reports/remove-report.ts';
export { type ReportChanges, updateReport } from '../queries/reports/update-report.ts';
