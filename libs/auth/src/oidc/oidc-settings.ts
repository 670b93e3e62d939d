import { type Config, ConfigFault } from '#config';

/** The OpenID provider for sign-in. */
export interface OidcSettings {
  readonly issuer: URL;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
  /** For display. */
  readonly name: string;
  readonly scopes: string;
}

/**
 * The configured provider; null if there is none. Throws `ConfigFault` if it is only partly
 * configured.
 */
export function oidcSettings(config: Config['signIn']): OidcSettings | null {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcName, oidcScopes } = config;
  if (oidcIssuer === undefined) {
    if (oidcClientId !== undefined || oidcClientSecret !== undefined)
      throw new ConfigFault(['PLOTLINE_OIDC_ISSUER: is not set, but PLOTLINE_OIDC_CLIENT_ID is. Set both or neither.']);
    return null;
  }
  if (oidcClientId === undefined) throw new ConfigFault(['PLOTLINE_OIDC_CLIENT_ID: is not set, but PLOTLINE_OIDC_ISSUER requires it.']);
  const issuer = new URL(oidcIssuer);
  return { issuer, clientId: oidcClientId, clientSecret: oidcClientSecret ?? null, name: oidcName ?? issuer.host, scopes: oidcScopes };
}
