import { exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { asObject } from '../http/json.ts';
import { requireCredentials } from '../local/credentials.ts';
import type { Report } from '../report.ts';
import { openSession } from '../session.ts';

/** `plotline whoami`: shows the server, and the identity of the token. */
export async function whoami(_flags: object, host: Host, report: Report): Promise<number> {
  const { origin, tokenFrom } = requireCredentials(host);
  const session = openSession(host, report);
  try {
    const about = await session.api.get('/whoami', 'Reading your account');
    report.document({ server: origin, token_from: tokenFrom, ...about });
    report.result(`Signed in to ${origin} (token from ${tokenFrom}).`);
    report.result(`Person:    ${nameOf(about['person'])}`);
    report.result(`Workspace: ${nameOf(about['workspace'])}`);
    report.result(`Role:      ${String(about['role'])}${about['may_write'] === false ? ' (read-only)' : ''}`);
    return exitCodes.done;
  } finally {
    session.close();
  }
}

function nameOf(value: unknown): string {
  const { name, id } = asObject(value, 'whoami');
  return `${String(name)} (${String(id)})`;
}
