import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';

/** What the command line itself reads. */
const own = new Set(['PLOTLINE_SERVER', 'PLOTLINE_TOKEN', 'PLOTLINE_DATA_DIR']);

/** Refuses settings that nobody declared, so that a typing error does not pass for a default. The rules of the service are loaded only when there is something to judge. */
export async function checkEnvironment(env: Host['env']): Promise<void> {
  if (!Object.keys(env).some((name) => name.startsWith('PLOTLINE_') && !own.has(name))) return;
  const { ConfigFault, loadConfig } = await import('#config');
  try {
    loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    throw new CliError(exitCodes.usage, error.message, { code: 'usage', cause: error });
  }
}
