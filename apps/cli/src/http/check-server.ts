import { limits } from '#model';
import { CliError, exitCodes } from '../exit.ts';
import { cliVersion } from '../version.ts';
import type { Api } from './api.ts';
import { ApiError } from './api-error.ts';
import { intField, type Json } from './json.ts';

/**
 * The capabilities of a service. `columns` is the newest version of the coding `plotline-columns`
 * that the service reads, or 0 if it reads none. Without `storesLogs`, the service rejects run
 * logs, so they are not sent.
 */
export interface ServerAbilities {
  readonly columns: number;
  readonly storesLogs: boolean;
}

/**
 * Checks, before the first byte of an upload, that this CLI and the service are compatible. If they
 * are not, throws an error that says which of the two to update. Returns what the service can
 * store.
 */
export async function checkServer(api: Api, say: (line: string) => void): Promise<ServerAbilities> {
  let about;
  try {
    about = await api.get(`/server?client=${encodeURIComponent(cliVersion())}`, "Reading the server's version");
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      throw new CliError(exitCodes.failed, `${api.http.origin} is not a Plotline server.`, { code: 'no-server', cause: error });
    throw error;
  }
  if (about['verdict'] === 'ERROR') throw new CliError(exitCodes.failed, String(about['message']), { code: 'client-too-old' });
  const theirs = await api.get('/limits', "Reading the server's limits");
  checkWireVersion(theirs, api.http.origin);
  if (about['verdict'] === 'WARN') say(String(about['message']));
  api.useUploads(theirs);
  const columns = theirs['columnsVersion'] === undefined ? 0 : intField(theirs, 'columnsVersion');
  return { columns, storesLogs: theirs['maxLogLines'] !== undefined };
}

/**
 * Whether the service with these `/limits` supports our version of the upload protocol; the Python
 * client (`check_wire_version`) reports the same. A service without these fields has version 1.
 */
export function checkWireVersion(theirs: Json, origin: string, ours: number = limits.wireVersion): void {
  const version = (field: string): number => (theirs[field] === undefined ? 1 : intField(theirs, field));
  if (version('wireVersion') < ours)
    throw new CliError(exitCodes.failed, `The service at ${origin} is too old for this client; update the service.`, {
      code: 'service-too-old',
    });
  if (version('oldestWireVersion') > ours)
    throw new CliError(
      exitCodes.failed,
      `The service at ${origin} no longer supports this client; update the client (plotline ${cliVersion()}).`,
      { code: 'client-too-old' },
    );
}
