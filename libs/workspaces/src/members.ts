import type { Caller, Role } from '#auth';
import { audit } from '#experiments';
import { Problem } from '#model';
import { readMember, removeMemberRow, type TenantTransaction, updateMemberRole } from '#store';
import { isAbove, keepAnOwner, roleOf, standFirm } from './standing.ts';

/**
 * Changes a member's role. Nobody can act on members above their own role, or assign a role above
 * it. Throws `member-not-found`, `forbidden`, and `last-owner`.
 */
export async function changeRole(trx: TenantTransaction, caller: Caller, personId: string, role: Role): Promise<void> {
  const before = await reach(trx, caller, personId, role);
  if (before === role) return;
  if (before === 'owner') await keepAnOwner(trx, caller.tenantId);
  if (role === 'owner') await requirePerson(trx, caller.tenantId, personId);
  await updateMemberRole(trx, caller.tenantId, personId, role);
  await audit(trx, caller, { action: 'member.role', objectId: personId, details: { from: before, to: role } });
}

/**
 * Removes a member: their tokens, sessions and open invitations end within five seconds; their
 * uploads stay. Throws like {@link changeRole}.
 */
export async function removeMember(trx: TenantTransaction, caller: Caller, personId: string): Promise<void> {
  const before = await reach(trx, caller, personId, null);
  if (before === 'owner') await keepAnOwner(trx, caller.tenantId);
  await removeMemberRow(trx, caller.tenantId, personId);
  await audit(trx, caller, { action: 'member.remove', objectId: personId, details: { from: before } });
}

/** Leaves the workspace and ends all own access to it. The last owner cannot: `last-owner`. */
export async function leaveWorkspace(trx: TenantTransaction, caller: Caller): Promise<void> {
  const role = await standFirm(trx, caller, 'member.leave');
  if (role === 'owner') await keepAnOwner(trx, caller.tenantId);
  await removeMemberRow(trx, caller.tenantId, caller.personId);
  await audit(trx, caller, { action: 'member.leave', objectId: caller.personId, details: { from: role } });
}

/**
 * Makes another member the owner instead of the caller, who becomes an admin. Throws
 * `member-not-found`.
 */
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

/**
 * The person's current role. Throws unless the caller may change it to `wanted` (null: remove
 * them).
 */
async function reach(trx: TenantTransaction, caller: Caller, personId: string, wanted: Role | null): Promise<Role> {
  const own = await standFirm(trx, caller, 'member.manage');
  const before = await roleOf(trx, caller.tenantId, personId);
  if (before === null) throw noSuchMember();
  if (isAbove(before, own))
    throw new Problem('forbidden', `They are ${before}, and you are ${own}: only someone of at least their role can do this.`);
  if (wanted !== null && isAbove(wanted, own)) throw beyondOwn(wanted, own);
  return before;
}

/** A program cannot own a workspace. */
async function requirePerson(trx: TenantTransaction, tenantId: string, personId: string): Promise<void> {
  if ((await readMember(trx, tenantId, personId))?.program) throw new Problem('forbidden', 'A service account cannot own a workspace.');
}

/** The error for a role above the caller's own. */
export function beyondOwn(wanted: Role, own: Role): Problem {
  return new Problem('forbidden', `You are ${own} and cannot make anyone ${wanted}. Ask an owner.`);
}

function noSuchMember(): Problem {
  return new Problem('member-not-found', 'There is no such member in this workspace.');
}
