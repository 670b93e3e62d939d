import { z } from 'zod';
import { roles } from '#auth';
import type { Member, OpenInvitation } from '#store';

export const roleJson = z.enum(roles);
const time = z.iso.datetime();

export const memberJson = z.object({ id: z.uuid(), name: z.string(), role: roleJson, joined: time });

export const invitationJson = z.object({
  id: z.uuid(),
  role: roleJson,
  invited_by: z.object({ id: z.uuid(), name: z.string() }),
  created: time,
  expires: time,
});

/** A member as other members of the workspace see it. */
export function toMemberJson({ personId, name, role, joinedAt }: Member) {
  return { id: personId, name, role, joined: joinedAt.toISOString() };
}

/** An invitation, for members who may revoke it. Its link cannot be read back. */
export function toInvitationJson(invitation: OpenInvitation) {
  return {
    id: invitation.invitationId,
    role: invitation.role,
    invited_by: { id: invitation.invitedBy, name: invitation.inviter },
    created: invitation.createdAt.toISOString(),
    expires: invitation.expiresAt.toISOString(),
  };
}
