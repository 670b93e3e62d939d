export { exportAuditLog, readAuditLog } from './audit-log.ts';
export { createWorkspace } from './create-workspace.ts';
export { erasePerson } from './erase-person.ts';
export { exportPerson, type PersonalItem } from './export-person.ts';
export { acceptInvitation, invite, type Joined, lookAtInvitation, type MadeInvitation, revokeInvitation } from './invitations.ts';
export { changeRole, leaveWorkspace, removeMember, transferOwnership } from './members.ts';
export { findWorkspaces, type OwnWorkspace, switchWorkspace } from './person-workspaces.ts';
export {
  createServiceAccount,
  deleteServiceAccount,
  findServiceAccounts,
  issueServiceToken,
  type ServiceAccountRequest,
  type ServiceAccountView,
} from './service-accounts.ts';
export { connectIdentity, enterByIdentity } from './enter.ts';
export { findTokens, issueToken, type IssuedToken, revokeToken, type TokenRequest } from './tokens.ts';
export { addWorkload, removeWorkload, type WorkloadRequest } from './workloads.ts';
export { requireExperimentQuota } from './experiment-room.ts';
export { QuotaDefaults } from './quota-defaults.ts';
export { RequestRates, type SharedTokens } from './request-rates.ts';
export { requireOpen } from './suspension.ts';
export { type Taken, TokenBucket } from './token-bucket.ts';
export { nearlyUsed, quotaExceeded, quotaTitles, type QuotaState, type QuotaUse, reportUsage, usedOf } from './usage-report.ts';
export { type Terms, WorkspaceTerms } from './workspace-terms.ts';
export { noteSignIn } from './sign-ins.ts';
export { type AddLogs, takeSnapshot } from './take-snapshot.ts';
export { endShareLink, findShareLinks, type LinkRequest, type MadeLink, makeShareLink } from './share-links.ts';
