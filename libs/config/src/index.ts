export { type Config, ConfigFault, concerns, loadConfig, type Need, notSet, secretOf } from './load-config.ts';
export type { Key } from './key.ts';
