import { CliError, exitCodes } from '../exit.ts';
import { cliVersion } from '../version.ts';
import type { Api } from './api.ts';
import { ApiError } from './api-error.ts';

/**
 * Checks that the service supports this version of the CLI. Throws if it does not, and suggests an
 * update if that would help.
 */
export async function checkServer(api: Api, say: (line: string) => void): Promise<void> {
  let about;
  try {
    about = await api.get(`/server?client=${encodeURIComponent(cliVersion())}`, "Reading the server's version");
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      throw new CliError(exitCodes.failed, `${api.http.origin} is not a Plotline server.`, { code: 'no-server', cause: error });
    throw error;
  }
  if (about['verdict'] === 'ERROR') throw new CliError(exitCodes.failed, String(about['message']), { code: 'client-too-old' });
  if (about['verdict'] === 'WARN') say(String(about['message']));
}
