export { startPostgres, type EmbeddedPostgres, type StartPostgresOptions } from './start-postgres.ts';
export { lockFolder, FolderInUse, type FolderLock } from './folder-lock.ts';
export { keepPort, lastPort } from './kept-port.ts';
export { readOrCreateSecret } from './secret-file.ts';
export type { RunAsMethod } from './run-as.ts';
export { runningPostgresUrl } from './running-postgres.ts';
export { stopAbandoned } from './stop-abandoned.ts';
