import { type Config, ConfigFault } from '#config';
import type { Secret } from '#config/secrets';

/** The OpenID provider for sign-in. */
export interface OidcSettings {
  readonly issuer: URL;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: Secret | null;
  /** For display. */
  readonly name: string;
  readonly scopes: string;
  /**
   * The claim that identifies the first owner. If null, nobody becomes the owner through the
   * provider.
   */
  readonly owner: { readonly claim: string; readonly value: string } | null;
}

/**
 * The configured provider; null if there is none. `clientSecret`: the secret, with its file if it
 * is in one. Throws `ConfigFault` if the provider is only partly configured.
 */
export function oidcSettings(config: Config['signIn'], clientSecret: Secret | undefined = config.oidcClientSecret): OidcSettings | null {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcName, oidcScopes, oidcOwner } = config;
  if (oidcIssuer === undefined) {
    if (oidcOwner !== undefined) throw new ConfigFault(['PLOTLINE_OIDC_ISSUER: is not set, but PLOTLINE_OIDC_OWNER requires it.']);
    if (oidcClientId !== undefined || oidcClientSecret !== undefined)
      throw new ConfigFault(['PLOTLINE_OIDC_ISSUER: is not set, but PLOTLINE_OIDC_CLIENT_ID is. Set both or neither.']);
    return null;
  }
  if (oidcClientId === undefined) throw new ConfigFault(['PLOTLINE_OIDC_CLIENT_ID: is not set, but PLOTLINE_OIDC_ISSUER requires it.']);
  const issuer = new URL(oidcIssuer);
  return {
    issuer,
    clientId: oidcClientId,
    clientSecret: clientSecret ?? null,
    name: oidcName ?? issuer.host,
    scopes: oidcScopes,
    owner: oidcOwner ?? null,
  };
}
