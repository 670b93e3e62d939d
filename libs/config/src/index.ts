export { type Config, ConfigFault, concerns, loadConfig } from './load-config.ts';
export type { Key } from './key.ts';
