export { ExportFilesController } from './export-files.controller.ts';
export { ExportsController } from './exports.controller.ts';
