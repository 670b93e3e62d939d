export { type ExportFormat, exportFormats } from './export-selection.ts';
export { ManifestCache, openExport, type StoredExport } from './read-export.ts';
export { surveyExport } from './survey-export.ts';
export { writeExport } from './write-export.ts';
