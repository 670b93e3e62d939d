import { type Caller, isRole, type Role, roles } from '#auth';
import { type Action, decide, forbidden } from '#experiments';
import { Problem } from '#model';
import { countOwners, lockMembers, readMemberRole, type TenantScope } from '#store';

/** A person's current role in the workspace; null if they are not a member. */
export async function roleOf(scope: TenantScope, personId: string): Promise<Role | null> {
  const role = uuidForm.test(personId) ? await readMemberRole(scope, personId) : null;
  return role !== null && isRole(role) ? role : null;
}

/**
 * Locks the members until the transaction ends, and returns the caller's current role: the role at
 * the start of the request can be five seconds old. Throws `forbidden` if the role is not
 * sufficient for the action.
 */
export async function standFirm(scope: TenantScope, caller: Caller, action: Action): Promise<Role> {
  if (!(await lockMembers(scope))) throw new Problem('forbidden', 'This workspace is being deleted.');
  const role = await roleOf(scope, caller.personId);
  if (role === null) throw new Problem('forbidden', 'You are no longer a member of this workspace.');
  const verdict = decide({ ...caller, role }, action);
  if (verdict !== 'allowed') throw forbidden({ ...caller, role }, verdict);
  return role;
}

/** Whether a role is more powerful than another one. */
export function isAbove(role: Role, other: Role): boolean {
  return roles.indexOf(role) < roles.indexOf(other);
}

/** Throws `last-owner` if nobody else owns the workspace. Call {@link standFirm} first. */
export async function keepAnOwner(scope: TenantScope): Promise<void> {
  if ((await countOwners(scope)) < 2)
    throw new Problem('last-owner', 'A workspace always has an owner. Make someone else an owner first, or delete the workspace.');
}

/** Whether a string can be a person, invitation or workspace id; anything else needs no lookup. */
export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
