import type { Commands } from './commands.ts';
import { sure } from './shared-flags.ts';

/** Adds verbs for the caller's personal data. */
export function addPersonalData(commands: Commands): void {
  const person = commands.group('person', 'your personal data: export, erase');
  const own = () => import('../verbs/person.ts');
  person
    .verb('export', 'write your personal data to a file', async () => (await own()).exportPerson)
    .option('--outfile <file>', 'file to write to', 'person.ndjson');
  person.verb('erase', 'leave every workspace and erase your personal data', async () => (await own()).erase).option(...sure);
}
