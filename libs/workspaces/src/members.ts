import type { Caller, Role } from '#auth';
import { audit } from '#experiments';
import { Problem } from '#model';
import { readMember, removeMemberRow, type TenantScope, updateMemberRole } from '#store';
import { isAbove, keepAnOwner, roleOf, standFirm } from './standing.ts';

/**
 * Changes a member's role. Nobody can act on members above their own role, or assign a role above
 * it. Throws `member-not-found`, `forbidden`, and `last-owner`.
 */
export async function changeRole(scope: TenantScope, caller: Caller, personId: string, role: Role): Promise<void> {
  const before = await reach(scope, caller, personId, role);
  if (before === role) return;
  if (before === 'owner') await keepAnOwner(scope);
  if (role === 'owner') await requirePerson(scope, personId);
  await updateMemberRole(scope, personId, role);
  await audit(scope, caller, { action: 'member.role', objectId: personId, details: { from: before, to: role } });
}

/**
 * Removes a member: their tokens, sessions and open invitations stop working within five seconds;
 * their uploads remain. Throws like {@link changeRole}.
 */
export async function removeMember(scope: TenantScope, caller: Caller, personId: string): Promise<void> {
  const before = await reach(scope, caller, personId, null);
  if (before === 'owner') await keepAnOwner(scope);
  await removeMemberRow(scope, personId);
  await audit(scope, caller, { action: 'member.remove', objectId: personId, details: { from: before } });
}

/**
 * Ends the caller's membership in the workspace, with all their access to it. Throws `last-owner`
 * for the last owner.
 */
export async function leaveWorkspace(scope: TenantScope, caller: Caller): Promise<void> {
  const role = await standFirm(scope, caller, 'member.leave');
  if (role === 'owner') await keepAnOwner(scope);
  await removeMemberRow(scope, caller.personId);
  await audit(scope, caller, { action: 'member.leave', objectId: caller.personId, details: { from: role } });
}

/**
 * Makes another member the owner instead of the caller, who becomes an admin. Throws
 * `member-not-found`.
 */
export async function transferOwnership(scope: TenantScope, caller: Caller, personId: string): Promise<void> {
  await standFirm(scope, caller, 'workspace.transfer');
  if (personId === caller.personId) throw new Problem('bad-request', 'You already own the workspace. Specify the new owner.');
  const before = await roleOf(scope, personId);
  if (before === null) throw noSuchMember();
  await requirePerson(scope, personId);
  await updateMemberRole(scope, personId, 'owner');
  await updateMemberRole(scope, caller.personId, 'admin');
  await audit(scope, caller, { action: 'workspace.transfer', objectId: personId, details: { from: before } });
}

/**
 * Returns the person's current role. Throws unless the caller may change it to `wanted` (null to
 * remove them).
 */
async function reach(scope: TenantScope, caller: Caller, personId: string, wanted: Role | null): Promise<Role> {
  const own = await standFirm(scope, caller, 'member.manage');
  const before = await roleOf(scope, personId);
  if (before === null) throw noSuchMember();
  if (isAbove(before, own))
    throw new Problem('forbidden', `They are ${before}, and you are ${own}: only someone of at least their role can do this.`);
  if (wanted !== null && isAbove(wanted, own)) throw beyondOwn(wanted, own);
  return before;
}

/** Throws `forbidden` for a program, which cannot own a workspace. */
async function requirePerson(scope: TenantScope, personId: string): Promise<void> {
  if ((await readMember(scope, personId))?.program) throw new Problem('forbidden', 'A service account cannot own a workspace.');
}

/** The error for a role above the caller's own. */
export function beyondOwn(wanted: Role, own: Role): Problem {
  return new Problem('forbidden', `You are ${own} and cannot make anyone ${wanted}. Ask an owner.`);
}

function noSuchMember(): Problem {
  return new Problem('member-not-found', 'There is no such member in this workspace.');
}
