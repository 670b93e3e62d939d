import { type Command, Option } from 'commander';
import { collect, collectOneOf, daysOrNever } from '../flag-values.ts';

const scopes = ['read', 'upload', 'manage', 'admin'] as const;

/** Arguments for `option` that add a flag to skip the verb's question. */
export const sure = ['--yes', 'do not ask'] as const;

/** Scopes of a token. */
export const scope = (): Option => new Option('--scope <scope>', 'a scope (repeatable)').choices(scopes).argParser(collectOneOf(scopes));

/** The flags of verbs that create a token. */
export function tokenFlags(command: Command): Command {
  return command
    .requiredOption('--name <name>', 'what the token is for')
    .addOption(scope())
    .option('--experiment <id>', 'limit the token to this experiment (repeatable)', collect)
    .option('--expires <days>', 'days until the token expires, or never', daysOrNever);
}
