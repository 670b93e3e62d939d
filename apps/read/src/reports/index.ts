export { ReportLinksController } from './report-links.controller.ts';
export { ReportPagesController } from './report-pages.controller.ts';
export { ReportsController } from './reports.controller.ts';
