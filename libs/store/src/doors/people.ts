/** People, sign-in, sessions, tokens and share links. */
export { endBrowserSession, endBrowserSessionsOf } from '../queries/people/end-browser-session.ts';
export { insertBrowserSession } from '../queries/people/insert-browser-session.ts';
export { listBrowserSessions, type SessionSummary } from '../queries/people/list-browser-sessions.ts';
export { moveBrowserSession } from '../queries/people/move-browser-session.ts';
export { readBrowserSession } from '../queries/people/read-browser-session.ts';
export { countCodeAttempt, forgiveCodeAttempt } from '../queries/people/code-attempts.ts';
export { decideDeviceCode, type DeviceRequest, readDeviceCode } from '../queries/people/decide-device-code.ts';
export { insertDeviceCode } from '../queries/people/insert-device-code.ts';
export { pollDeviceCode } from '../queries/people/poll-device-code.ts';
export { insertOidcAttempt, type OidcAttempt } from '../queries/people/insert-oidc-attempt.ts';
export { takeOidcAttempt } from '../queries/people/take-oidc-attempt.ts';
export { type IdentityKey, lockPersonIdentity, readPersonIdentity } from '../queries/people/read-person-identity.ts';
export { insertPersonIdentity } from '../queries/people/insert-person-identity.ts';
export { listIdentityIssuers } from '../queries/people/list-identity-issuers.ts';
export { noteIdentityUse } from '../queries/people/note-identity-use.ts';
export { removeNewPerson } from '../queries/people/remove-new-person.ts';
export { insertAccessToken, type NewAccessToken } from '../queries/people/insert-access-token.ts';
export { type Creator, noCreator } from '../queries/people/creator.ts';
export { type AccessTokenSummary, countAccessTokens, listAccessTokens, type TokenPage } from '../queries/people/list-access-tokens.ts';
export { holdAccessToken } from '../queries/people/hold-access-token.ts';
export { readTokenOwner } from '../queries/people/read-token-owner.ts';
export { revokeAccessToken } from '../queries/people/revoke-access-token.ts';
export { insertShareLink } from '../queries/people/insert-share-link.ts';
export { insertShareRoute } from '../queries/people/insert-share-route.ts';
export { listShareLinks, type ShareLinkSummary } from '../queries/people/list-share-links.ts';
export { readShareLink } from '../queries/people/read-share-link.ts';
export { readShareLinkOwner, revokeShareLink } from '../queries/people/revoke-share-link.ts';
export { readShareRoute } from '../queries/people/read-share-route.ts';
export { insertPerson } from '../queries/people/insert-person.ts';
export { insertTokenRoute } from '../queries/people/insert-token-route.ts';
export { useAccessToken } from '../queries/people/use-access-token.ts';
export { insertServiceAccount } from '../queries/people/insert-service-account.ts';
export { listServiceAccounts, type ServiceAccount } from '../queries/people/list-service-accounts.ts';
export { removeServiceAccount } from '../queries/people/remove-service-account.ts';
export { insertSigningKey } from '../queries/people/insert-signing-key.ts';
export { readSigningKeys, type StoredSigningKey } from '../queries/people/read-signing-keys.ts';
export { removeOldSigningKeys } from '../queries/people/remove-old-signing-keys.ts';
export { useWorkloadIdentity } from '../queries/people/use-workload-identity.ts';
export {
  insertWorkloadIdentity,
  listWorkloadIdentities,
  removeWorkloadIdentity,
  type WorkloadIdentity,
} from '../queries/people/workload-identities.ts';
export { readIdentity } from '../queries/people/read-identity.ts';
export { readTenantsWithTokens } from '../queries/people/read-tenants-with-tokens.ts';
export { readTokenRoute } from '../queries/people/read-token-route.ts';
export { insertSignInLink, useSignInLink } from '../queries/people/sign-in-links.ts';
export { readPersonWorkspaces } from '../queries/people/person-workspaces.ts';
export { erasePersonInWorkspace } from '../queries/people/erase-person-in-workspace.ts';
export { erasePersonRow } from '../queries/people/erase-person.ts';
export { readPerson } from '../queries/people/read-person.ts';
export {
  readPersonExperiments,
  readPersonIdentities,
  readPersonInvitations,
  readPersonSessions,
  readPersonReportLinks,
  readPersonReports,
  readPersonSavedViews,
  readPersonShareLinks,
  readPersonTokens,
} from '../queries/people/export-person.ts';
