export { exportAuditLog, readAuditLog } from './audit-log.ts';
export { createWorkspace } from './create-workspace.ts';
export { erasePerson } from './erase-person.ts';
export { exportPerson } from './export-person.ts';
export { acceptInvitation, invite, lookAtInvitation, revokeInvitation } from './invitations.ts';
export { changeRole, leaveWorkspace, removeMember, transferOwnership } from './members.ts';
export { findWorkspaces, type OwnWorkspace, switchWorkspace } from './person-workspaces.ts';
export {
  createServiceAccount,
  deleteServiceAccount,
  findServiceAccounts,
  issueServiceToken,
  type ServiceAccountView,
} from './service-accounts.ts';
export { connectIdentity, enterByIdentity } from './enter.ts';
export { findTokens, issueToken, type IssuedToken, revokeToken, type TokenRequest } from './tokens.ts';
export { addWorkload, removeWorkload } from './workloads.ts';
export { requireExperimentQuota } from './experiment-room.ts';
export { QuotaDefaults } from './quota-defaults.ts';
export { RequestRates } from './request-rates.ts';
export { requireOpen } from './suspension.ts';

export { nearlyUsed, quotaExceeded, quotaTitles, type QuotaUse, reportUsage, usedOf } from './usage-report.ts';
export { type Terms, WorkspaceTerms } from './workspace-terms.ts';
export { noteSignIn } from './sign-ins.ts';
export { type AddLogs, takeSnapshot } from './take-snapshot.ts';
export { endShareLink, findShareLinks, makeShareLink } from './share-links.ts';
export { endReportLink, findReportLinks, makeReportLink } from './report-links.ts';
