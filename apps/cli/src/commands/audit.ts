import { Option } from 'commander';
import { lines } from '../flag-values.ts';
import type { Commands } from './commands.ts';

/** The audit log. */
export function addAudit(commands: Commands): void {
  commands
    .verb('audit', 'show who did what in the workspace', async () => (await import('../verbs/audit.ts')).audit)
    .option('--action <action>', 'only this action, like member.role')
    .option('--person <id>', 'only actions by this person')
    .option('--experiment <id>', 'only actions on this experiment')
    .addOption(new Option('--result <result>', 'only this result: done or refused').choices(['done', 'refused']))
    .option('--from <time>', 'only actions after this time, like 2026-11-22T00:00:00Z')
    .option('--until <time>', 'before')
    .option('--limit <n>', 'lines to show', lines, 50)
    .option('--outfile <file>', 'write the whole log to a file, one JSON document per line, oldest first');
}
