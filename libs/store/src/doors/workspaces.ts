/** Workspaces: members, invitations, the audit log, usage and limits. */
export { countFounded, noteFounder } from '../queries/workspaces/founded-workspaces.ts';
export { insertMember, insertWorkspace } from '../queries/workspaces/insert-workspace.ts';
export { readMember } from '../queries/workspaces/read-member.ts';
export { readMemberRole } from '../queries/workspaces/read-member-role.ts';
export { readOwner } from '../queries/workspaces/read-owner.ts';
export { lockMembers } from '../queries/workspaces/lock-members.ts';
export { listMembers, type Member } from '../queries/workspaces/list-members.ts';
export { countOwners } from '../queries/workspaces/count-owners.ts';
export { removeMemberRow, updateMemberRole } from '../queries/workspaces/change-member.ts';
export { insertInvitation } from '../queries/workspaces/insert-invitation.ts';
export { listOpenInvitations, type OpenInvitation } from '../queries/workspaces/list-open-invitations.ts';
export { readInvitationRoute } from '../queries/workspaces/read-invitation-route.ts';
export { revokeInvitationRow } from '../queries/workspaces/revoke-invitation.ts';
export { useInvitation } from '../queries/workspaces/use-invitation.ts';
export {
  type AuditEntry,
  type AuditFilter,
  type AuditPlace,
  insertAuditEntry,
  listAuditEntries,
  type NewAuditEntry,
  removeOldAuditEntries,
} from '../queries/workspaces/audit-entries.ts';
export { readTenantsWithOldAudit } from '../queries/maintenance/read-tenants-with-old-audit.ts';
export { subtractRunUsage } from '../queries/workspaces/subtract-run-usage.ts';
export { countExperimentsToAdd, readUsage, type Usage } from '../queries/workspaces/read-usage.ts';
export { readWorkspaceLimits, type Suspension, type SuspensionMode } from '../queries/workspaces/read-workspace-limits.ts';
export { listWorkspaces } from '../queries/maintenance/list-workspaces.ts';
export { type LimitsChange, writeWorkspaceLimits } from '../queries/workspaces/write-workspace-limits.ts';
export { listLimitsChanges } from '../queries/workspaces/list-limits-changes.ts';
