export { migrate, migrationsFolder, readMigrations, SchemaMismatch, type MigrateOptions, type Migration } from './migrator.ts';
export { prepareDatabase, type PrepareDatabaseOptions } from './prepare-database.ts';
