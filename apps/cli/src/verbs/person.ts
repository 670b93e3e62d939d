import { confirm } from '../ask.ts';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { asObject, stringField } from '../http/json.ts';
import { downloadTo } from '../local/download.ts';
import type { Report } from '../report.ts';
import { openSession } from '../session.ts';

/**
 * `plotline person export`: exports everything that the service stores about the person, one JSON
 * document per line.
 */
export async function exportPerson({ outfile }: { outfile: string }, host: Host, report: Report): Promise<number> {
  const session = openSession(host, report);
  try {
    const path = await downloadTo(host, outfile, session.api.download('GET', '/person/export', 'Exporting'));
    report.document({ written_to: path });
    report.result(`Wrote ${path}.`);
    return exitCodes.done;
  } finally {
    session.close();
  }
}

/** `plotline person erase`: removes the person from every workspace, and erases their name. */
export async function erase({ yes }: { yes?: boolean }, host: Host, report: Report): Promise<number> {
  const session = openSession(host, report);
  try {
    const person = asObject((await session.api.get('/whoami', 'Reading your account'))['person'], 'person');
    const name = stringField(person, 'name');
    report.say('You can export your personal data first: plotline person export');
    if (!(await confirm(host, yes, `Erase ${name} permanently: leave every workspace and revoke all tokens?`)))
      throw new CliError(exitCodes.failed, 'Nothing was erased.', { code: 'not-confirmed' });
    await session.api.send('DELETE', '/person', 'Erasing', { name });
    report.document({ erased: true });
    report.result('Your account was erased.');
    return exitCodes.done;
  } finally {
    session.close();
  }
}
