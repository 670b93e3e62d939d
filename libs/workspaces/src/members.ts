import type { Caller, Role } from '#auth';
import { audit } from '#experiments';
import { Problem } from '#model';
import { readMember, removeMemberRow, type TenantTransaction, updateMemberRole } from '#store';
import { isAbove, keepAnOwner, roleOf, standFirm } from './standing.ts';

/**
 * Gives a member another role. Nobody acts on people above themselves, or makes anybody more than they are. Throws `member-not-found`, `forbidden`, and
 * `last-owner`.
 */
export async function changeRole(trx: TenantTransaction, caller: Caller, personId: string, role: Role): Promise<void> {
  const before = await reach(trx, caller, personId, role);
  if (before === role) return;
  if (before === 'owner') await keepAnOwner(trx, caller.tenantId);
  if (role === 'owner') await requirePerson(trx, caller.tenantId, personId);
  await updateMemberRole(trx, caller.tenantId, personId, role);
  await audit(trx, caller, { action: 'member.role', objectId: personId, details: { from: before, to: role } });
}

/** Takes a member out: their tokens, sessions and open invitations end within five seconds; what they uploaded stays. Throws as {@link changeRole}. */
export async function removeMember(trx: TenantTransaction, caller: Caller, personId: string): Promise<void> {
  const before = await reach(trx, caller, personId, null);
  if (before === 'owner') await keepAnOwner(trx, caller.tenantId);
  await removeMemberRow(trx, caller.tenantId, personId);
  await audit(trx, caller, { action: 'member.remove', objectId: personId, details: { from: before } });
}

/** Leaves the workspace, with every way in. The last owner cannot: `last-owner`. */
export async function leaveWorkspace(trx: TenantTransaction, caller: Caller): Promise<void> {
  const role = await standFirm(trx, caller, 'member.leave');
  if (role === 'owner') await keepAnOwner(trx, caller.tenantId);
  await removeMemberRow(trx, caller.tenantId, caller.personId);
  await audit(trx, caller, { action: 'member.leave', objectId: caller.personId, details: { from: role } });
}

/** Makes another member the owner in place of the caller, who is an admin then. Throws `member-not-found`. */
export async function transferOwnership(trx: TenantTransaction, caller: Caller, personId: string): Promise<void> {
  await standFirm(trx, caller, 'workspace.transfer');
  if (personId === caller.personId) throw new Problem('bad-request', 'You already own the workspace. Name the new owner.');
  const before = await roleOf(trx, caller.tenantId, personId);
  if (before === null) throw noSuchMember();
  await requirePerson(trx, caller.tenantId, personId);
  await updateMemberRole(trx, caller.tenantId, personId, 'owner');
  await updateMemberRole(trx, caller.tenantId, caller.personId, 'admin');
  await audit(trx, caller, { action: 'workspace.transfer', objectId: personId, details: { from: before } });
}

/** What the person is now. Throws unless the caller may make them `wanted` (null: nobody). */
async function reach(trx: TenantTransaction, caller: Caller, personId: string, wanted: Role | null): Promise<Role> {
  const own = await standFirm(trx, caller, 'member.manage');
  const before = await roleOf(trx, caller.tenantId, personId);
  if (before === null) throw noSuchMember();
  if (isAbove(before, own))
    throw new Problem('forbidden', `They are ${before}, and you are ${own}: only someone of at least their role can do this.`);
  if (wanted !== null && isAbove(wanted, own)) throw beyondOwn(wanted, own);
  return before;
}

/** No program owns a workspace. */
async function requirePerson(trx: TenantTransaction, tenantId: string, personId: string): Promise<void> {
  if ((await readMember(trx, tenantId, personId))?.program) throw new Problem('forbidden', 'A service account cannot own a workspace.');
}

/** Nobody makes anybody more than they are themselves. */
export function beyondOwn(wanted: Role, own: Role): Problem {
  return new Problem('forbidden', `You are ${own} and cannot make anyone ${wanted}. Ask an owner.`);
}

function noSuchMember(): Problem {
  return new Problem('member-not-found', 'There is no such member in this workspace.');
}
