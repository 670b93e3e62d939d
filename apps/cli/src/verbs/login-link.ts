import { exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { stringField } from '../http/json.ts';
import type { Report } from '../report.ts';
import { openSession } from '../session.ts';

/**
 * `plotline login-link`: creates a one-time link that signs a browser in as the token's owner. The
 * link is valid for an hour.
 */
export async function loginLink(flags: { next?: string }, host: Host, report: Report): Promise<number> {
  const session = openSession(host, report);
  try {
    const made = await session.api.send('POST', '/sign-in-links', 'Making a link', flags.next === undefined ? {} : { next: flags.next });
    report.document(made);
    report.result(stringField(made, 'url'));
    report.say('The link works once, within an hour. Anyone who opens it is signed in as you.');
    return exitCodes.done;
  } finally {
    session.close();
  }
}
