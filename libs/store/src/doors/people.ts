/** People, sign-in, sessions, tokens and share links. */
export {
  endBrowserSession,
  endBrowserSessionsOf,
  insertBrowserSession,
  listBrowserSessions,
  moveBrowserSession,
  readBrowserSession,
  type SessionSummary,
} from '../queries/browser-sessions.ts';
export { countCodeAttempt, forgiveCodeAttempt } from '../queries/code-attempts.ts';
export { decideDeviceCode, type DeviceRequest, insertDeviceCode, pollDeviceCode, readDeviceCode } from '../queries/device-codes.ts';
export { insertOidcAttempt, type OidcAttempt, takeOidcAttempt } from '../queries/oidc-attempts.ts';
export {
  type IdentityKey,
  insertPersonIdentity,
  listIdentityIssuers,
  lockPersonIdentity,
  noteIdentityUse,
  readPersonIdentity,
  removeNewPerson,
} from '../queries/person-identities.ts';
export { insertAccessToken, type NewAccessToken } from '../queries/insert-access-token.ts';
export { type Creator, noCreator } from '../queries/creator.ts';
export { type AccessTokenSummary, countAccessTokens, listAccessTokens, type TokenPage } from '../queries/list-access-tokens.ts';
export { holdAccessToken, readTokenOwner, revokeAccessToken } from '../queries/revoke-access-token.ts';
export { insertShareLink } from '../queries/insert-share-link.ts';
export { insertShareRoute } from '../queries/insert-share-route.ts';
export { listShareLinks, type ShareLinkSummary } from '../queries/list-share-links.ts';
export { readShareLink } from '../queries/read-share-link.ts';
export { readShareLinkOwner, revokeShareLink } from '../queries/revoke-share-link.ts';
export { readShareRoute } from '../queries/read-share-route.ts';
export { insertPerson } from '../queries/insert-person.ts';
export { insertTokenRoute } from '../queries/insert-token-route.ts';
export { useAccessToken } from '../queries/use-access-token.ts';
export { insertServiceAccount, listServiceAccounts, removeServiceAccount, type ServiceAccount } from '../queries/service-accounts.ts';
export { insertSigningKey, readSigningKeys, removeOldSigningKeys, type StoredSigningKey } from '../queries/signing-keys.ts';
export { useWorkloadIdentity } from '../queries/use-workload-identity.ts';
export {
  insertWorkloadIdentity,
  listWorkloadIdentities,
  removeWorkloadIdentity,
  type WorkloadIdentity,
} from '../queries/workload-identities.ts';
export { readIdentity } from '../queries/read-identity.ts';
export { readTenantsWithTokens } from '../queries/read-tenants-with-tokens.ts';
export { readTokenRoute } from '../queries/read-token-route.ts';
export { insertSignInLink, useSignInLink } from '../queries/sign-in-links.ts';
export { readPersonWorkspaces } from '../queries/person-workspaces.ts';
export { erasePersonInWorkspace, erasePersonRow, readPerson } from '../queries/erase-person.ts';
export {
  readPersonExperiments,
  readPersonIdentities,
  readPersonInvitations,
  readPersonSessions,
  readPersonSavedViews,
  readPersonShareLinks,
  readPersonTokens,
} from '../queries/export-person.ts';
