import { randomUUID } from 'node:crypto';
import { findOwner, type OidcIdentity, type Owner } from '#auth';
import { parseTenantId, Problem, type TenantId } from '#model';
import {
  countFounded,
  insertMember,
  insertPerson,
  insertPersonIdentity,
  insertWorkspace,
  listIdentityIssuers,
  lockMembers,
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

/** How to handle a person without a workspace. */
export interface Newcomers {
  /** Whether the person gets their own workspace. */
  readonly ownWorkspace: boolean;
  /**
   * How many workspaces a person may create, including this workspace; a person who has created
   * none may always create one.
   */
  readonly max: number;
  /**
   * Makes the person a member through the invitation that they followed, and returns the
   * invitation's workspace. Absent if there is no invitation.
   */
  readonly join?: (personId: string) => Promise<TenantId>;
}

/**
 * Signs in a person known to an OpenID provider, and returns the person and workspace. A person is
 * identified only by issuer and subject: an email address, verified or not, never gives access. A
 * newcomer becomes a person if they get a workspace, either their own or through an invitation. The
 * first newcomer with the claim configured in PLOTLINE_OIDC_OWNER becomes the first owner. Throws
 * `not-invited`, the errors of `join`, and `quota-exceeded` for a person who has left the
 * workspaces that they created. Each workspace has its own quotas, so the number of workspaces is
 * limited.
 */
export async function enterByIdentity(store: Store, identity: OidcIdentity, newcomers: Newcomers): Promise<Owner> {
  const known =
    (await readPersonIdentity(store.global, identity)) ??
    (await becomeOwner(store, identity)) ??
    (await addPerson(store, identity, newcomers));
  const { personId } = known;
  const joined = await readPersonWorkspaces(store.global, personId);
  const tenantId = (await findWorkspace(store, known, joined)) ?? (await firstWorkspace(store, personId, joined, identity, newcomers));
  await noteIdentityUse(store.global, identity, { tenantId, email: identity.email });
  return { tenantId, personId };
}

/**
 * Connects the provider as another way to sign in for a signed-in person. Throws `sign-in-failed`
 * if the identity belongs to another person.
 */
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
  /** The workspace entered last. */
  readonly tenantId: TenantId | null;
}

/**
 * Returns the first owner for the first person with the claim that the operator configured, and
 * links the identity to the owner. Returns null if the identity does not have that claim, there is
 * no owner yet, or the owner has an identity.
 */
async function becomeOwner(store: Store, identity: OidcIdentity): Promise<Known | null> {
  if (identity.isOwner !== true) return null;
  const owner = await findOwner(store);
  if (owner === null) return null;
  const { personId, tenantId } = owner;
  return store.withTenant(tenantId, async (scope) => {
    await lockMembers(scope); // of concurrent sign-ins, one becomes the owner
    if ((await listIdentityIssuers(scope.trx, personId)).length > 0) return null;
    const added = await insertPersonIdentity(scope.trx, identity, { personId, email: identity.email });
    return added ? { personId, tenantId } : null;
  });
}

/** Creates a person who has only this identity so far. */
async function addPerson(store: Store, identity: OidcIdentity, newcomers: Newcomers): Promise<Known> {
  const { ownWorkspace, join } = newcomers;
  if (!ownWorkspace && !join) throw notInvited();
  const personId = randomUUID();
  await insertPerson(store.global, personId, identity.name ?? 'New member');
  if (!(await insertPersonIdentity(store.global, identity, { personId, email: identity.email }))) {
    // The same person can sign in concurrently in another window.
    await removeNewPerson(store.global, personId);
    return (await readPersonIdentity(store.global, identity)) ?? addPerson(store, identity, newcomers);
  }
  if (ownWorkspace || !join) return { personId, tenantId: null };
  try {
    return { personId, tenantId: await join(personId) };
  } catch (error) {
    await removeNewPerson(store.global, personId); // an invalid invitation leaves nothing behind
    throw error;
  }
}

/**
 * The person's last workspace, otherwise the first that they joined. Skips workspaces that they are
 * no longer a member of, and workspaces that are being deleted; null if none remains.
 */
async function findWorkspace(store: Store, { personId, tenantId: last }: Known, joined: readonly TenantId[]): Promise<TenantId | null> {
  for (const tenantId of last !== null && joined.includes(last) ? [last, ...joined] : joined) {
    const isOpen = await store.withTenant(
      tenantId,
      async (scope) => (await readMemberRole(scope, personId)) !== null && (await readWorkspace(scope)) !== null,
      { readOnly: true },
    );
    if (isOpen) return tenantId;
  }
  return null;
}

/** For a person without a workspace: a newcomer, or a person who has left their last workspace. */
async function firstWorkspace(
  store: Store,
  personId: string,
  joined: readonly TenantId[],
  identity: OidcIdentity,
  { ownWorkspace, max, join }: Newcomers,
): Promise<TenantId> {
  if (join) return join(personId);
  if (!ownWorkspace) throw notInvited();
  const tenantId = parseTenantId(randomUUID());
  return store.withTenant(tenantId, async (scope) => {
    // Two concurrent windows create one workspace.
    await lockPersonIdentity(scope.trx, identity);
    const made = (await readPersonWorkspaces(scope.trx, personId)).find((other) => !joined.includes(other));
    if (made !== undefined) return made;
    const founded = await countFounded(scope.trx, personId);
    if (founded === null) throw notInvited();
    if (founded >= Math.max(1, max)) throw tooManyMade(founded);
    await insertWorkspace(scope, identity.name === null ? 'My workspace' : `Workspace of ${identity.name}`);
    await insertMember(scope, personId, 'owner');
    await noteFounder(scope, personId);
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
  return new Problem(
    'not-invited',
    'You signed in, but you are not a member of any workspace. Ask an owner for an invitation and open its link.',
  );
}
