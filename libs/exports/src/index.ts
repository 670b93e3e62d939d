export type { ExportManifest, ManifestFile } from './export-elements.ts';
export { type ExportFormat, exportFormats, type ExportWish } from './export-wish.ts';
export { type ExportPlace, openExport, type StoredExport } from './read-export.ts';
export { type ExportSurvey, surveyExport } from './survey-export.ts';
export { type ExportWriting, writeExport, type WrittenExport } from './write-export.ts';
