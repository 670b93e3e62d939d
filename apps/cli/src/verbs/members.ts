import { agree, askLine } from '../ask.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import type { Api } from '../http/api.ts';
import { asArray, asObject, type Json, shown, stringField } from '../http/json.ts';
import type { Report } from '../report.ts';
import { isUuid } from '../uuid.ts';
import { withApi } from '../with-api.ts';

interface PersonFlags {
  readonly argument: string;
  readonly role?: string;
  readonly yes?: boolean;
}

/** `plotline members list`: lists the members of the workspace. */
export async function list(_flags: object, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const members = (await readMembers(api)).sort((a, b) => (shown(a['name']) < shown(b['name']) ? -1 : 1));
    report.document({ members });
    report.table(
      ['ID', 'NAME', 'ROLE', 'JOINED'],
      members.map((m) => [shown(m['id']), shown(m['name']), shown(m['role']), shown(m['joined'])]),
    );
  });
}

/** `plotline members invite`: prints a link, which is not shown again. */
export async function invite({ role, days }: { role: string; days: number }, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const made = await api.send('POST', '/invitations', 'Inviting', { role, expires_in_days: days });
    report.document(made);
    report.say('Give this link to the person you invite. It works once and is not shown again.');
    report.result(stringField(made, 'url'));
  });
}

/** `plotline members invitations`: lists the open invitations. */
export async function invitations(_flags: object, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { invitations: open } = await api.get('/invitations', 'Listing invitations');
    report.document({ invitations: open });
    report.table(
      ['ID', 'ROLE', 'INVITED BY', 'EXPIRES'],
      asArray(open, 'invitations').map((value) => {
        const invitation = asObject(value, 'invitations');
        return [
          shown(invitation['id']),
          shown(invitation['role']),
          shown(asObject(invitation['invited_by'], 'invited_by')['name']),
          shown(invitation['expires']),
        ];
      }),
    );
  });
}

/** `plotline members revoke`: revokes an invitation. */
export async function revoke({ argument: id }: { argument: string }, host: Host, report: Report): Promise<number> {
  if (!isUuid(id)) throw usageError('Use the id of the invitation: see `plotline members invitations`.');
  return withApi(host, report, async (api) => {
    await api.send('DELETE', `/invitations/${id}`, `Invitation ${id}`);
    report.document({ id, revoked: true });
    report.result(`Revoked ${id}.`);
  });
}

/**
 * `plotline members accept`: reads the link from the terminal or stdin, never from the command
 * line, which other users can see.
 */
export async function accept(_flags: object, host: Host, report: Report): Promise<number> {
  const link = await askLine(host, host.stdin.isTTY ? 'Invitation link: ' : '');
  const secret = /^(?:https?:\/\/\S+\/join\/)?([0-9A-Za-z]{30})$/.exec(link)?.[1];
  if (secret === undefined)
    throw usageError('That is not an invitation link. An invitation link ends in /join/ followed by 30 letters and digits.');
  return withApi(host, report, async (api) => {
    const joined = await api.send('POST', '/invitations/accept', 'Accepting', { secret });
    report.document(joined);
    const workspace = asObject(joined['workspace'], 'workspace');
    report.result(`You joined ${shown(workspace['name'])} (${shown(workspace['id'])}) as ${shown(joined['role'])}.`);
    report.say('Each token is for one workspace. To use the new workspace, sign in to it.');
  });
}

/** `plotline members set-role`: changes the role of a member, by id or name. */
export async function setRole({ argument, role }: PersonFlags, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { id, name } = await findMember(api, argument);
    report.document(await api.send('PATCH', `/members/${id}`, name, { role }));
    report.result(`${name} is ${role} now.`);
  });
}

/** `plotline members remove`: removes a member and revokes all their tokens and sessions. */
export async function remove({ argument, yes }: PersonFlags, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { id, name } = await findMember(api, argument);
    await agree(host, yes, `Remove ${name} from the workspace and revoke all their tokens?`);
    await api.send('DELETE', `/members/${id}`, name);
    report.document({ id, removed: true });
    report.result(`Removed ${name}. Their credentials stop working within five seconds.`);
  });
}

/** `plotline members leave`: leaves the workspace of the token. */
export async function leave({ yes }: { yes?: boolean }, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { name } = asObject((await api.get('/whoami', 'Reading your account'))['workspace'], 'workspace');
    await agree(host, yes, `Leave ${shown(name)} and revoke all your tokens there?`);
    await api.send('POST', '/workspace/leave', 'Leaving');
    report.document({ left: true });
    report.result(`You have left ${shown(name)}.`);
  });
}

/** `plotline members transfer`: makes another member the owner. */
export async function transfer({ argument, yes }: PersonFlags, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { id, name } = await findMember(api, argument);
    await agree(host, yes, `Transfer ownership to ${name}?`);
    await api.send('POST', '/workspace/transfer', name, { person: id });
    report.document({ owner: id });
    report.result(`${name} now owns the workspace, and you are an admin.`);
  });
}

async function readMembers(api: Api): Promise<Json[]> {
  const members: Json[] = [];
  for await (const member of api.pages('/members', 'members', 'Listing members')) members.push(member);
  return members;
}

/** Finds a member by id, or by a unique name. */
async function findMember(api: Api, wanted: string): Promise<{ id: string; name: string }> {
  const found = (await readMembers(api)).filter((member) => member['id'] === wanted || member['name'] === wanted);
  const [one] = found;
  if (!one) throw new CliError(exitCodes.notFound, `There is no member ${wanted}.`, { code: 'member-not-found' });
  if (found.length > 1) throw usageError(`${found.length} members are named ${wanted}. Use an id: see \`plotline members list\`.`);
  return { id: stringField(one, 'id'), name: stringField(one, 'name') };
}
