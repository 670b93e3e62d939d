import { Option } from 'commander';
import type { Commands } from './commands.ts';
import { scope, sure, tokenFlags } from './shared-flags.ts';

/** Members that are programs. */
export function addServiceAccounts(commands: Commands): void {
  const accounts = commands.group('service-accounts', 'manage service accounts (members that are programs), their tokens and workloads');
  const programs = () => import('../verbs/service-accounts.ts');
  accounts.verb('list', 'list service accounts and the workloads that act as them', async () => (await programs()).list);
  accounts
    .verb('create', 'create a service account', async () => (await programs()).create, '<name>')
    .addOption(new Option('--role <role>', 'role in the workspace').choices(['admin', 'member', 'viewer']).default('member'));
  accounts
    .verb('remove', 'remove a service account and revoke all its tokens', async () => (await programs()).remove, '<account>')
    .option(...sure);
  tokenFlags(
    accounts.verb('token', 'create a token for a service account and print it once', async () => (await programs()).token, '<account>'),
  );
  accounts
    .verb(
      'add-workload',
      'let a workload act as a service account with its own OIDC token',
      async () => (await programs()).addWorkload,
      '<account>',
    )
    .requiredOption('--issuer <url>', 'issuer of the tokens')
    .requiredOption('--subject <subject>', 'subject of the workload, like repo:lab/models:*')
    .option('--audience <audience>', 'audience of the tokens (default: the service)')
    .addOption(scope());
  accounts.verb(
    'remove-workload',
    'stop a workload from acting as a service account',
    async () => (await programs()).removeWorkload,
    '<workload>',
  );
}
