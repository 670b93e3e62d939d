export type { ExportManifest, LeftOutFile, ManifestFile } from './export-elements.ts';
export { type ExportFormat, exportFormats, type ExportSelection } from './export-selection.ts';
export { type ExportPlace, ManifestCache, openExport, type StoredExport } from './read-export.ts';
export { type ExportSurvey, surveyExport } from './survey-export.ts';
export { type ExportWriting, writeExport, type WrittenExport } from './write-export.ts';
