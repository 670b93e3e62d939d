/** People, sign-in, sessions, tokens and share links. */
export {
  endBrowserSession,
  endBrowserSessionsOf,
  insertBrowserSession,
  listBrowserSessions,
  moveBrowserSession,
  readBrowserSession,
  type SessionSummary,
} from '../queries/people/browser-sessions.ts';
export { countCodeAttempt, forgiveCodeAttempt } from '../queries/people/code-attempts.ts';
export { decideDeviceCode, type DeviceRequest, insertDeviceCode, pollDeviceCode, readDeviceCode } from '../queries/people/device-codes.ts';
export { insertOidcAttempt, type OidcAttempt, takeOidcAttempt } from '../queries/people/oidc-attempts.ts';
export {
  type IdentityKey,
  insertPersonIdentity,
  listIdentityIssuers,
  lockPersonIdentity,
  noteIdentityUse,
  readPersonIdentity,
  removeNewPerson,
} from '../queries/people/person-identities.ts';
export { insertAccessToken, type NewAccessToken } from '../queries/people/insert-access-token.ts';
export { type Creator, noCreator } from '../queries/people/creator.ts';
export { type AccessTokenSummary, countAccessTokens, listAccessTokens, type TokenPage } from '../queries/people/list-access-tokens.ts';
export { holdAccessToken, readTokenOwner, revokeAccessToken } from '../queries/people/revoke-access-token.ts';
export { insertShareLink } from '../queries/people/insert-share-link.ts';
export { insertShareRoute } from '../queries/people/insert-share-route.ts';
export { listShareLinks, type ShareLinkSummary } from '../queries/people/list-share-links.ts';
export { readShareLink } from '../queries/people/read-share-link.ts';
export { readShareLinkOwner, revokeShareLink } from '../queries/people/revoke-share-link.ts';
export { readShareRoute } from '../queries/people/read-share-route.ts';
export { insertPerson } from '../queries/people/insert-person.ts';
export { insertTokenRoute } from '../queries/people/insert-token-route.ts';
export { useAccessToken } from '../queries/people/use-access-token.ts';
export {
  insertServiceAccount,
  listServiceAccounts,
  removeServiceAccount,
  type ServiceAccount,
} from '../queries/people/service-accounts.ts';
export { insertSigningKey, readSigningKeys, removeOldSigningKeys, type StoredSigningKey } from '../queries/people/signing-keys.ts';
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
export { erasePersonInWorkspace, erasePersonRow, readPerson } from '../queries/people/erase-person.ts';
export {
  readPersonExperiments,
  readPersonIdentities,
  readPersonInvitations,
  readPersonSessions,
  readPersonSavedViews,
  readPersonShareLinks,
  readPersonTokens,
} from '../queries/people/export-person.ts';
