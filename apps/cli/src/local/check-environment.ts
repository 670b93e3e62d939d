import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';

/** The variables that the CLI itself reads. */
const own = new Set(['PLOTLINE_SERVER', 'PLOTLINE_TOKEN', 'PLOTLINE_DATA_DIR']);

/**
 * Rejects unknown settings, so that a typo does not silently become a default. Loads the service's
 * rules only if there is something to check.
 */
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
