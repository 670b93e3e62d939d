import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { intField, stringField } from '../http/json.ts';
import type { Report } from '../report.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
/** The scopes that the verbs need, except the scope to administer the workspace. */
const scope = 'read upload manage';

/**
 * Shows a code, waits until a person has entered it in a browser and approved this program (RFC
 * 8628), and returns the token. Throws if the sign-in is denied or expires.
 */
export async function askPerson(api: Api, host: Host, report: Report): Promise<string> {
  const interrupted = new AbortController();
  const stopListening = host.onInterrupt(() => interrupted.abort());
  try {
    const authorization = await api.send('POST', '/device', 'Signing in', {
      client_name: `plotline on ${hostname()}`.slice(0, 100),
      scope,
    });
    const deviceCode = stringField(authorization, 'device_code');
    report.say('To sign in, open this address in any browser:');
    report.say(`  ${stringField(authorization, 'verification_uri_complete')}`);
    report.say(`and approve the sign-in if the page shows this code: ${stringField(authorization, 'user_code')}`);
    return await poll(api, deviceCode, intField(authorization, 'interval'), interrupted.signal);
  } catch (error) {
    if (interrupted.signal.aborted) throw new CliError(exitCodes.interrupted, 'Stopped without signing in.', { code: 'interrupted' });
    throw error;
  } finally {
    stopListening();
  }
}

async function poll(api: Api, deviceCode: string, firstInterval: number, stop: AbortSignal): Promise<string> {
  for (let interval = firstInterval; ;) {
    await sleep(interval * 1_000, undefined, { signal: stop });
    try {
      const body = { grant_type: grantType, device_code: deviceCode };
      return stringField(await api.send('POST', '/token', 'Signing in', body, undefined, stop), 'access_token');
    } catch (error) {
      const code = error instanceof ApiError ? error.code : null;
      if (code === 'slow-down')
        interval += 5; // RFC 8628, 3.5
      else if (code === 'access-denied' || code === 'device-code-expired')
        throw new CliError(exitCodes.notSignedIn, (error as ApiError).message, { code, cause: error });
      else if (code !== 'authorization-pending') throw error;
    }
  }
}
