export { Authenticator } from './authenticator.ts';
export { randomBase62 } from './base62.ts';
export { type Caller, endWithin, isRole, isScope, nobody, type Origin, type Role, roles, type Scope, scopes } from './caller.ts';
export { AccessJwtIssuer, AccessJwtReader } from './jwt/access-jwt.ts';
export { OwnKeys } from './jwt/own-keys.ts';
export { SigningKeys } from './jwt/signing-keys.ts';
export { isSubjectPattern } from './jwt/subject-pattern.ts';
export { type ExchangedToken, TokenExchange } from './jwt/token-exchange.ts';
export { type WorkloadIssuer, WorkloadIssuers } from './jwt/workload-issuers.ts';
export { findOwner, firstStart, type Owner } from './first-start.ts';
export { createSignInLink, moveSession, signIn } from './sign-in.ts';
export { hashSecret, looksLikeSecret, looksLikeToken, newSecret, newToken } from './token.ts';
export { adoptOwnerToken, OwnerTokenFault, replaceToken } from './owner-token.ts';
export { decideDevice, type DeviceLimits, lookAtDevice, redeemDevice, startDevice, usualDeviceLimits } from './device.ts';
export { type OidcIdentity, OidcProvider } from './oidc/oidc-provider.ts';
export { oidcSettings } from './oidc/oidc-settings.ts';
export { beginOidcSignIn, finishOidcSignIn } from './oidc/oidc-sign-in.ts';
export { revokeOwnToken } from './revoke-own-token.ts';
export {
  type BrowserSession,
  csrfTokenOf,
  endSession,
  endSessionsOf,
  isCsrfToken,
  listSessions,
  type SessionLimits,
  startSession,
} from './sessions.ts';
export { createToken, createTokenWithId } from './tokens.ts';
export { type ExperimentLink, type OpenLink, Visitors } from './visitors.ts';
