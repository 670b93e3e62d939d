/** Connections, transactions and their scopes, migrations, and the checks when a process starts. */
export { distribute, hasDistributedTables, triedVersions, withOwnerLogin } from '../distribute.ts';
export { migrate, SchemaMismatch } from '../migrator.ts';
export { findHost } from '../driver/live-client.ts';
export { prepareDatabase } from '../prepare-database.ts';
export { Store, type StoreOptions } from '../store.ts';
export type { AnyScope, IngestScope, OperatorScope, Snapshot, TenantScope } from '../scope.ts';
export type { ServiceRole } from '../service-roles.ts';
export { DatabaseClock } from '../database-clock.ts';
export { lacksRight } from '../shut-out.ts';
export { isTransient, mapStoreError, rejectionOfText } from '../store-error.ts';
export { BinaryCopyWriter } from '../binary-copy.ts';
export { ping } from '../queries/connections/ping.ts';
export { assertDurable } from '../assert-durable.ts';
export { assertSignsIn, SignInFault } from '../assert-signs-in.ts';
export { assertIsolated } from '../assert-isolated.ts';
export { assertMigrated, readSchemaNumber } from '../assert-migrated.ts';
export { Operator } from '../operator.ts';
