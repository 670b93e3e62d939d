/**
 * The public interface of this library. Its names are grouped into families, with one file each. A
 * new query is exported by its family.
 */
export * from './doors/connections.ts';
export * from './doors/ledger.ts';
export * from './doors/uploader.ts';
export * from './doors/progress.ts';
export * from './doors/points.ts';
export * from './doors/experiments.ts';
export * from './doors/reports.ts';
export * from './doors/snapshots.ts';
export * from './doors/people.ts';
export * from './doors/workspaces.ts';
export * from './doors/deletion.ts';
export * from './doors/maintenance.ts';
