import { exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { requireCredentials } from '../local/credentials.ts';
import type { Report } from '../report.ts';
import { openSession } from '../session.ts';

/** `plotline whoami`: the server, and whom it takes the token for. */
export async function whoami(_flags: object, host: Host, report: Report): Promise<number> {
  const { origin, tokenFrom } = requireCredentials(host);
  const session = openSession(host, report);
  try {
    const about = await session.api.get('/whoami', 'Asking who I am');
    report.document({ server: origin, token_from: tokenFrom, ...about });
    report.result(`Signed in to ${origin} (token from ${tokenFrom}).`);
    for (const [field, value] of Object.entries(about)) if (value !== null && typeof value !== 'object') report.result(`${`${field.replaceAll('_', ' ')}:`.padEnd(18)}${String(value)}`);
    return exitCodes.done;
  } finally {
    session.close();
  }
}
