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
  type TenantTransaction,
} from '#store';
import { keepAnOwner, roleOf } from './standing.ts';

/**
 * Erases the caller as a person: out of every workspace, with all tokens, sessions and links, without a name and without the addresses that they came
 * from. What they made for a workspace stays there, as made by nobody. Each workspace is one transaction, the caller's own comes last: whatever
 * breaks off half way, they can still sign in and ask again. Throws `bad-request` without their name, and `last-owner` before anything was done.
 */
export async function erasePerson(store: Store, caller: Caller, confirmation: string): Promise<void> {
  const { tenantId: current, personId } = caller;
  const verdict = decide(caller, 'person.erase');
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  const person = await readPerson(store.global, personId);
  if (!person) throw new Problem('unauthenticated', 'You were already erased.');
  if (person.name !== confirmation) throw new Problem('bad-request', 'The name is not yours. Nothing was erased.');
  const known = await readPersonWorkspaces(store.global, personId, true);
  for (const tenantId of known) await store.withTenant(tenantId, (trx) => mayGo(trx, tenantId, personId));
  for (const tenantId of [...known.filter((other) => other !== current), current]) {
    await store.withTenant(tenantId, async (trx) => {
      const isMember = await mayGo(trx, tenantId, personId);
      if (isMember) await removeMemberRow(trx, tenantId, personId);
      // The line has no address: it would be the one that is left of them.
      await audit(trx, { ...withoutAddress(caller), tenantId }, { action: 'person.erase', objectId: personId });
      await erasePersonInWorkspace(trx, tenantId, personId);
      if (tenantId === current) await erasePersonRow(trx, personId);
    });
  }
}

/** Whether the person is a member. Throws `last-owner` where nobody else would own the workspace; one that is being deleted needs no owner. */
async function mayGo(trx: TenantTransaction, tenantId: string, personId: string): Promise<boolean> {
  const live = await lockMembers(trx, tenantId);
  const role = await roleOf(trx, tenantId, personId);
  if (live && role === 'owner') await keepAnOwner(trx, tenantId);
  return role !== null;
}

function withoutAddress(caller: Caller): Caller {
  return caller.origin ? { ...caller, origin: { ...caller.origin, address: null } } : caller;
}
