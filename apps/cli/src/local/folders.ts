import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Host } from '../host.ts';

/** The folder for the stored tokens and the default server (`plotline login`). */
export function configFolder(host: Pick<Host, 'env'>): string {
  return join(xdg(host.env, 'XDG_CONFIG_HOME', '.config', 'APPDATA'), 'plotline');
}

/** The folder for state that the CLI keeps between calls: the experiment of each log directory. */
export function stateFolder(host: Pick<Host, 'env'>): string {
  return join(xdg(host.env, 'XDG_STATE_HOME', join('.local', 'state'), 'LOCALAPPDATA'), 'plotline');
}

/** The data folder of a service that runs on this machine. */
export function dataFolder(host: Pick<Host, 'env' | 'cwd'>): string {
  return resolve(host.cwd, host.env['PLOTLINE_DATA_DIR'] || '.plotline');
}

// XDG Base Directory Specification 0.8: a relative path in these variables is invalid and is
// ignored.
function xdg(env: Host['env'], name: string, fallback: string, onWindows: string): string {
  const value = env[name];
  if (value && isAbsolute(value)) return value;
  const windows = process.platform === 'win32' ? env[onWindows] : undefined;
  return windows ?? join(env['HOME'] || homedir(), fallback);
}
