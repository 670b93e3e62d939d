export { startPostgres, type EmbeddedPostgres } from './start-postgres.ts';
export { lockFolder, FolderInUse } from './folder-lock.ts';
export { keepPort, lastPort } from './kept-port.ts';
export { readOrCreateSecret } from './secret-file.ts';

export { runningPostgresUrl } from './running-postgres.ts';
export { stopAbandoned } from './stop-abandoned.ts';
