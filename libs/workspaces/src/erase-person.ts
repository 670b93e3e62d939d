import type { Caller } from '#auth';
import { audit, decide, forbidden } from '#experiments';
import { Problem } from '#model';
import {
  erasePersonInWorkspace,
  erasePersonRow,
  lockMembers,
  readPerson,
  readPersonWorkspaces,
  removeMemberRow,
  type Store,
  type TenantScope,
} from '#store';
import { keepAnOwner, roleOf } from './standing.ts';

/**
 * Erases the caller as a person: from every workspace, with all tokens, sessions and links, their
 * name and their addresses. Anything that they created in a workspace remains there without a
 * creator. Each workspace is one transaction, and the caller's own is last, so after an
 * interruption, they can still sign in and repeat the erasure. Throws `bad-request` unless
 * `confirmation` is their name, and `last-owner` before anything is changed.
 */
export async function erasePerson(store: Store, caller: Caller, confirmation: string): Promise<void> {
  const { tenantId: current, personId } = caller;
  const verdict = decide(caller, 'person.erase');
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  const person = await readPerson(store.global, personId);
  if (!person) throw new Problem('unauthenticated', 'Your account was already erased.');
  if (person.name !== confirmation) throw new Problem('bad-request', 'The name does not match yours. Nothing was erased.');
  const known = await readPersonWorkspaces(store.global, personId, true);
  for (const tenantId of known) await store.withTenant(tenantId, (scope) => mayGo(scope, personId));
  for (const tenantId of [...known.filter((other) => other !== current), current]) {
    await store.withTenant(tenantId, async (scope) => {
      const isMember = await mayGo(scope, personId);
      if (isMember) await removeMemberRow(scope, personId);
      // The entry has no address, because that would be this person's only remaining address.
      await audit(scope, { ...withoutAddress(caller), tenantId }, { action: 'person.erase', objectId: personId });
      await erasePersonInWorkspace(scope, personId);
      if (tenantId === current) await erasePersonRow(scope.trx, personId);
    });
  }
}

/**
 * Whether the person is a member. Throws `last-owner` if the workspace would have no other owner; a
 * workspace that is being deleted needs no owner.
 */
async function mayGo(scope: TenantScope, personId: string): Promise<boolean> {
  const live = await lockMembers(scope);
  const role = await roleOf(scope, personId);
  if (live && role === 'owner') await keepAnOwner(scope);
  return role !== null;
}

function withoutAddress(caller: Caller): Caller {
  return caller.origin ? { ...caller, origin: { ...caller.origin, address: null } } : caller;
}
