import { randomUUID } from 'node:crypto';
import type { OidcIdentity, Owner } from '#auth';
import { Problem } from '#model';
import {
  countFounded,
  insertMember,
  insertPerson,
  insertPersonIdentity,
  insertWorkspace,
  lockPersonIdentity,
  noteFounder,
  noteIdentityUse,
  readMemberRole,
  readPersonIdentity,
  readPersonWorkspaces,
  readWorkspace,
  removeNewPerson,
  type Store,
} from '#store';

/** What becomes of somebody who is in no workspace. */
export interface Newcomers {
  /** Whether they get one of their own. */
  readonly ownWorkspace: boolean;
  /** How many a person may make, this one included; whoever has made none may have one. */
  readonly most: number;
  /** Makes the person a member by the invitation that they have followed, and says of which workspace. Absent: they have followed none. */
  readonly join?: (personId: string) => Promise<string>;
}

/**
 * Lets somebody in whom an OpenID provider knows, and says as whom and to which workspace. A person is known by issuer and subject alone: an e-mail address, verified or
 * not, is nobody's way in. Who comes for the first time becomes a person if they get a workspace, by an invitation or of their own. Throws `not-invited`, and
 * what `join` throws; `quota-exceeded` for somebody who has left the workspaces that they made: each of them has quotas of its own, so their number is bounded.
 */
export async function enterByIdentity(store: Store, identity: OidcIdentity, newcomers: Newcomers): Promise<Owner> {
  const known = (await readPersonIdentity(store.global, identity)) ?? (await addPerson(store, identity, newcomers));
  const { personId } = known;
  const joined = await readPersonWorkspaces(store.global, personId);
  const tenantId = (await findWorkspace(store, known, joined)) ?? (await firstWorkspace(store, personId, joined, identity, newcomers));
  await noteIdentityUse(store.global, identity, { tenantId, email: identity.email });
  return { tenantId, personId };
}

/** Lets a person who is signed in sign in by the provider from now on. Throws `sign-in-failed` when somebody else does so already. */
export async function connectIdentity(store: Store, identity: OidcIdentity, owner: Owner): Promise<void> {
  const added = await insertPersonIdentity(store.global, identity, { personId: owner.personId, email: identity.email });
  const known = added ? null : await readPersonIdentity(store.global, identity);
  if (known && known.personId !== owner.personId)
    throw new Problem(
      'sign-in-failed',
      'Another person already uses that provider account. Sign out at the provider and choose your own account.',
    );
  await noteIdentityUse(store.global, identity, { tenantId: owner.tenantId, email: identity.email });
}

interface Known {
  readonly personId: string;
  /** Entered last. */
  readonly tenantId: string | null;
}

/** A new person, who has this way in and nothing else yet. */
async function addPerson(store: Store, identity: OidcIdentity, newcomers: Newcomers): Promise<Known> {
  const { ownWorkspace, join } = newcomers;
  if (!ownWorkspace && !join) throw notInvited();
  const personId = randomUUID();
  await insertPerson(store.global, personId, identity.name ?? 'New member');
  if (!(await insertPersonIdentity(store.global, identity, { personId, email: identity.email }))) {
    // The same person, in another window at the same moment.
    await removeNewPerson(store.global, personId);
    return (await readPersonIdentity(store.global, identity)) ?? addPerson(store, identity, newcomers);
  }
  if (ownWorkspace || !join) return { personId, tenantId: null };
  try {
    return { personId, tenantId: await join(personId) };
  } catch (error) {
    await removeNewPerson(store.global, personId); // an invitation that is not good leaves nothing behind
    throw error;
  }
}

/** Where the person was last, else the first that they joined, as long as they are a member and it is not being deleted; null: nowhere. */
async function findWorkspace(store: Store, { personId, tenantId: last }: Known, joined: readonly string[]): Promise<string | null> {
  for (const tenantId of last !== null && joined.includes(last) ? [last, ...joined] : joined) {
    const isOpen = await store.withTenant(
      tenantId,
      async (trx) => (await readMemberRole(trx, tenantId, personId)) !== null && (await readWorkspace(trx, tenantId)) !== null,
      { readOnly: true },
    );
    if (isOpen) return tenantId;
  }
  return null;
}

/** Of somebody who is in no workspace: new, or they have left the last one. */
async function firstWorkspace(
  store: Store,
  personId: string,
  joined: readonly string[],
  identity: OidcIdentity,
  { ownWorkspace, most, join }: Newcomers,
): Promise<string> {
  if (join) return join(personId);
  if (!ownWorkspace) throw notInvited();
  const tenantId = randomUUID();
  return store.withTenant(tenantId, async (trx) => {
    // Two windows at the same moment make one workspace.
    await lockPersonIdentity(trx, identity);
    const made = (await readPersonWorkspaces(trx, personId)).find((other) => !joined.includes(other));
    if (made !== undefined) return made;
    const founded = await countFounded(trx, personId);
    if (founded === null) throw notInvited();
    if (founded >= Math.max(1, most)) throw tooManyMade(founded);
    await insertWorkspace(trx, tenantId, identity.name === null ? 'My workspace' : `Workspace of ${identity.name}`);
    await insertMember(trx, tenantId, personId, 'owner');
    await noteFounder(trx, tenantId, personId);
    return tenantId;
  });
}

function tooManyMade(used: number): Problem {
  return new Problem(
    'quota-exceeded',
    'You signed in, but you left the workspaces you created and cannot create more. Ask an owner for an invitation and open its link.',
    { extra: { quota: 'workspaces', limit: used, used } },
  );
}

function notInvited(): Problem {
  return new Problem('not-invited', 'You signed in, but you are not in any workspace. Ask an owner for an invitation and open its link.');
}
