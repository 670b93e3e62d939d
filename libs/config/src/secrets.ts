/* A door of its own: the rest of this library reads the environment, which threads do not. */
export { LiveSecret, type Secret } from './live-secret.ts';
export { parsePostgresAddress } from './postgres-address.ts';
