/*
 * A separate entry point: the rest of this library reads the environment, which threads do not use.
 */
export { LiveSecret, type Secret } from './live-secret.ts';
export { parsePostgresAddress } from './postgres-address.ts';
