import { type Config, ConfigFault } from '#config';

/** The OpenID provider by which people sign in. */
export interface OidcSettings {
  readonly issuer: URL;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
  /** For people. */
  readonly name: string;
  readonly scopes: string;
}

/** The provider that the settings name; null: none. Throws `ConfigFault` when half of it is missing. */
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
