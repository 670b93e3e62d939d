import { randomUUID } from 'node:crypto';
import { type Caller, hashSecret, looksLikeSecret, newSecret, type Role } from '#auth';
import { type Actor, audit, rules } from '#experiments';
import { Problem, type TenantId } from '#model';
import {
  holdAccessToken,
  insertInvitation,
  insertMember,
  listOpenInvitations,
  lockMembers,
  readInvitationRoute,
  readWorkspace,
  revokeInvitationRow,
  type Store,
  type TenantScope,
  useInvitation,
} from '#store';
import { beyondOwn } from './members.ts';
import { isAbove, isUuid, roleOf, standFirm } from './standing.ts';
import { rejectJwt } from './tokens.ts';

/** A new invitation. `secret` is shown only this once; we send no email. */
export interface MadeInvitation {
  readonly invitationId: string;
  readonly secret: string;
  readonly expiresAt: Date;
}

/** A workspace that a person has joined. */
export interface Joined {
  readonly tenantId: TenantId;
  readonly workspace: string;
  readonly role: Role;
}

const daySeconds = 86_400;
/** An estimate: no workspace that invites people one by one has more. */
const maxOpen = 1_000;

/**
 * Creates an invitation for the person who opens the link. The role is at most the inviter's, and
 * the invitation expires no later than the inviter's credential. A JWT cannot invite. Throws
 * `forbidden`.
 */
export async function invite(
  scope: TenantScope,
  caller: Caller,
  { role, expiresInDays }: { readonly role: Role; readonly expiresInDays: number },
): Promise<MadeInvitation> {
  const { personId } = caller;
  const own = await standFirm(scope, caller, 'member.manage');
  if (isAbove(role, own)) throw beyondOwn(role, own);
  rejectJwt(caller);
  if (caller.tokenId && !(await holdAccessToken(scope, caller.tokenId)))
    throw new Problem('unauthenticated', 'The access token was revoked.');
  if ((await listOpenInvitations(scope, maxOpen)).length === maxOpen)
    throw new Problem('bad-request', `There are already ${maxOpen} open invitations. Revoke some first.`);
  const secret = newSecret();
  const invitationId = randomUUID();
  const expiresAt = await insertInvitation(scope, {
    invitationId,
    secretHash: hashSecret(secret),
    role,
    invitedBy: personId,
    creatorTokenId: caller.tokenId ?? null,
    lifetimeSeconds: expiresInDays * daySeconds,
    until: caller.until ?? null,
  });
  await audit(scope, caller, { action: 'member.invite', objectId: invitationId, details: { role, expires_in_days: expiresInDays } });
  return { invitationId, secret, expiresAt };
}

/** Revokes an open invitation. Throws `invitation-not-found`. */
export async function revokeInvitation(scope: TenantScope, caller: Caller, invitationId: string): Promise<void> {
  await standFirm(scope, caller, 'member.manage');
  if (!isUuid(invitationId) || !(await revokeInvitationRow(scope, invitationId)))
    throw new Problem('invitation-not-found', 'There is no such open invitation in this workspace.');
  await audit(scope, caller, { action: 'invitation.revoke', objectId: invitationId });
}

/**
 * Makes a signed-in person, of any workspace, a member of the invitation's workspace, and consumes
 * the invitation. The invitation is valid only as long as its creator could still create it. Throws
 * `invitation-not-found`, with the same message for any fault, and `already-a-member`, which does
 * not consume the invitation.
 */
export async function acceptInvitation(store: Store, person: Omit<Actor, 'tenantId'>, secret: string): Promise<Joined> {
  const route = looksLikeSecret(secret) ? await readInvitationRoute(store.global, hashSecret(secret)) : null;
  if (!route) throw noSuchInvitation();
  const { tenantId, invitationId } = route;
  return store.withTenant(tenantId, async (scope) => {
    await lockMembers(scope);
    const workspace = await readWorkspace(scope);
    const invitation = await useInvitation(scope, invitationId, person.personId);
    if (!workspace || !invitation) throw noSuchInvitation();
    const role = invitation.role as Role; // the table has a check constraint
    const inviter = await roleOf(scope, invitation.invitedBy);
    if (!inviter || isAbove(rules['member.manage'].role, inviter) || isAbove(role, inviter)) throw noSuchInvitation();
    if ((await roleOf(scope, person.personId)) !== null)
      throw new Problem('already-a-member', 'You are already a member of this workspace. Someone else can still use the invitation.');
    await insertMember(scope, person.personId, role);
    await audit(scope, { ...person, tenantId }, { action: 'member.join', objectId: invitationId, details: { role } });
    return { tenantId, workspace: workspace.name, role };
  });
}

/**
 * Details that the holder of the link may see before accepting: the workspace and the role. Null if
 * the link is not valid. Consumes nothing.
 */
export async function lookAtInvitation(store: Store, secret: string): Promise<{ workspace: string; role: string } | null> {
  const route = looksLikeSecret(secret) ? await readInvitationRoute(store.global, hashSecret(secret)) : null;
  if (!route) return null;
  return store.withTenant(
    route.tenantId,
    async (scope) => {
      const workspace = await readWorkspace(scope);
      const open = await listOpenInvitations(scope, maxOpen);
      const invitation = open.find(({ invitationId }) => invitationId === route.invitationId);
      return workspace && invitation ? { workspace: workspace.name, role: invitation.role } : null;
    },
    { readOnly: true },
  );
}

function noSuchInvitation(): Problem {
  return new Problem(
    'invitation-not-found',
    'This invitation does not work: it is unknown, expired, revoked, or already used. Ask for a new one.',
  );
}
