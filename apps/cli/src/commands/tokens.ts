import type { Commands } from './commands.ts';
import { tokenFlags } from './shared-flags.ts';

/** Access tokens. */
export function addTokens(commands: Commands): void {
  const tokens = commands.group('tokens', 'access tokens: list, create, revoke');
  const secrets = () => import('../verbs/tokens.ts');
  tokens
    .verb('list', 'your tokens', async () => (await secrets()).list)
    .option('--everybody', 'include the tokens of all members (admins only)');
  tokenFlags(tokens.verb('create', 'create a token and print it once', async () => (await secrets()).create));
  tokens.verb('revoke', 'revoke a token', async () => (await secrets()).revoke, '<token>');
}
