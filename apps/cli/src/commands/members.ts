import { Option } from 'commander';
import { days } from '../flag-values.ts';
import type { Commands } from './commands.ts';
import { sure } from './shared-flags.ts';

/** Members of the workspace. */
export function addMembers(commands: Commands): void {
  const members = commands.group('members', 'manage members: list, invite, change, remove');
  const people = () => import('../verbs/members.ts');
  const role = () =>
    new Option('--role <role>', 'role in the workspace').choices(['owner', 'admin', 'member', 'viewer']).makeOptionMandatory();
  members.verb('list', 'list members and their roles', async () => (await people()).list);
  members
    .verb('invite', 'create an invitation link for one person', async () => (await people()).invite)
    .addOption(role().default('member'))
    .option('--days <n>', 'how long the link is valid', days, 7);
  members.verb('invitations', 'list open invitations', async () => (await people()).invitations);
  members.verb('revoke', 'revoke an invitation', async () => (await people()).revoke, '<invitation>');
  members.verb('accept', 'join with a link (read from stdin or a prompt)', async () => (await people()).accept);
  members.verb('set-role', 'give a member another role', async () => (await people()).setRole, '<person>').addOption(role());
  members.verb('remove', 'remove a member and revoke all their tokens', async () => (await people()).remove, '<person>').option(...sure);
  members.verb('leave', 'leave the workspace', async () => (await people()).leave).option(...sure);
  members.verb('transfer', 'make another member the owner', async () => (await people()).transfer, '<person>').option(...sure);
}
