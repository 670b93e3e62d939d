/** Workspaces: members, invitations, the audit log, usage and limits. */
export { countFounded, noteFounder } from '../queries/founded-workspaces.ts';
export { insertMember, insertWorkspace } from '../queries/insert-workspace.ts';
export { readMember } from '../queries/read-member.ts';
export { readMemberRole } from '../queries/read-member-role.ts';
export { readOwner } from '../queries/read-owner.ts';
export { lockMembers } from '../queries/lock-members.ts';
export { listMembers, type Member } from '../queries/list-members.ts';
export { countOwners } from '../queries/count-owners.ts';
export { removeMemberRow, updateMemberRole } from '../queries/change-member.ts';
export {
  insertInvitation,
  listOpenInvitations,
  type OpenInvitation,
  readInvitationRoute,
  revokeInvitationRow,
  useInvitation,
} from '../queries/invitations.ts';
export {
  type AuditEntry,
  type AuditFilter,
  type AuditPlace,
  insertAuditEntry,
  listAuditEntries,
  type NewAuditEntry,
  removeOldAuditEntries,
} from '../queries/audit-entries.ts';
export { readTenantsWithOldAudit } from '../queries/maintenance/read-tenants-with-old-audit.ts';
export { subtractRunUsage } from '../queries/subtract-run-usage.ts';
export { countExperimentsToAdd, readUsage, type Usage } from '../queries/read-usage.ts';
export { readWorkspaceLimits, type Suspension, type SuspensionMode } from '../queries/read-workspace-limits.ts';
export { listWorkspaces } from '../queries/maintenance/list-workspaces.ts';
export { type LimitsChange, listLimitsChanges, writeWorkspaceLimits } from '../queries/write-workspace-limits.ts';
