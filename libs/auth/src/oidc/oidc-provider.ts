import * as client from 'openid-client';
import { LiveSecret } from '#config/secrets';
import { Problem } from '#model';
import type { IdentityKey } from '#store';
import { signInFault } from './sign-in-fault.ts';
import type { OidcSettings } from './oidc-settings.ts';

/** A person as identified by a provider. */
export interface OidcIdentity extends IdentityKey {
  /** The preferred name; null if the provider did not send one. */
  readonly name: string | null;
  /** Set only if the provider has verified the address. */
  readonly email: string | null;
  /** Whether the person has the claim configured in PLOTLINE_OIDC_OWNER. */
  readonly isOwner?: boolean;
}

/** Random values that bind the provider's response to the browser that started the sign-in. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636, 4.1: at least 43 characters. */
  readonly codeVerifier: string;
}

/** Timeout for one call to the provider. */
const timeoutSeconds = 10;
/** Tolerance for its clock. */
const clockToleranceSeconds = 60;
/** Clock drift of this machine after which the library is reconfigured. */
const maxDriftSeconds = 10;
/** A discovery document is fetched again after this time. */
const maxAgeMs = 3_600_000;
/**
 * Delay before the next request to a provider that does not respond, regardless of how many
 * sign-ins wait.
 */
const restMs = 1_000;
const maxName = 100;

/**
 * The OpenID provider, configured by its discovery document. Uses the authorization code flow with
 * PKCE (S256), state and nonce. The `iss` of the response (RFC 9207) is checked if the provider
 * sends it. The ID token's signature, issuer, audience and times are always checked. Throws
 * `sign-in-failed` if any check fails, and `provider-unavailable` if the provider is unreachable.
 */
export class OidcProvider {
  readonly #settings: OidcSettings;
  /** Null for a public client. */
  readonly #secret: LiveSecret | null;
  #known: { configuration: Promise<client.Configuration>; until: number; skewSeconds: number; secret: string | null } | null = null;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
    this.#secret = settings.clientSecret === null ? null : new LiveSecret(settings.clientSecret);
  }

  /** For display. */
  get name(): string {
    return this.#settings.name;
  }

  /** The URL to which a browser is redirected for sign-in. `now`: milliseconds since 1970. */
  async authorizationUrl(redirectUri: string, { state, nonce, codeVerifier }: OidcChecks, now: number): Promise<URL> {
    return client.buildAuthorizationUrl(await this.#discover(now), {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
  }

  /**
   * Identifies the returning person. `response`: the redirect URI with the query that the browser
   * sent. `now`: milliseconds since 1970, for the ID token's times.
   */
  async identify(response: URL, { state, nonce, codeVerifier }: OidcChecks, now: number): Promise<OidcIdentity> {
    const configuration = await this.#discover(now);
    try {
      const tokens = await client.authorizationCodeGrant(configuration, response, {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // OpenID Connect Core, 5.4: claims of the scopes profile and email may be available only at
      // the UserInfo endpoint.
      const asked = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
      const more = asked ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
      const all = { ...more, ...claims };
      return { issuer: claims.iss, subject: claims.sub, ...aboutPerson(all), isOwner: hasClaim(all, this.#settings.owner) };
    } catch (error) {
      throw signInFault(error, this.name);
    }
  }

  /**
   * Configures the library, which uses this machine's clock with a fixed offset. Configures it
   * again when the offset or the client secret has changed.
   */
  #discover(now: number): Promise<client.Configuration> {
    const skewSeconds = Math.round((now - Date.now()) / 1_000);
    const secret = this.#secret?.value ?? null;
    const isCurrent = this.#known?.secret === secret && Math.abs(this.#known.skewSeconds - skewSeconds) <= maxDriftSeconds;
    if (this.#known && isCurrent && this.#known.until > performance.now()) return this.#known.configuration;
    const configuration = this.#ask(skewSeconds, secret);
    const known = { configuration, until: performance.now() + maxAgeMs, skewSeconds, secret };
    this.#known = known;
    configuration.catch(() => (known.until = performance.now() + restMs));
    return configuration;
  }

  async #ask(skewSeconds: number, clientSecret: string | null): Promise<client.Configuration> {
    const { issuer, clientId } = this.#settings;
    const metadata = {
      [client.clockTolerance]: clockToleranceSeconds,
      [client.clockSkew]: skewSeconds,
    };
    const authentication = clientSecret === null ? client.None() : undefined;
    try {
      return await client.discovery(
        issuer,
        clientId,
        { ...metadata, ...(clientSecret !== null && { client_secret: clientSecret }) },
        authentication,
        {
          timeout: timeoutSeconds,
          execute: [client.enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [])],
        },
      );
    } catch (error) {
      // After any other error, nobody can sign in until the provider or the settings are fixed.
      throw new Problem('provider-unavailable', `${this.name} is not available for sign-in. Try again in a moment.`, { cause: error });
    }
  }
}

/**
 * Whether the claim equals the value, or is a list that contains it. An email address must be
 * verified.
 */
function hasClaim(claims: Readonly<Record<string, unknown>>, wanted: OidcSettings['owner']): boolean {
  if (wanted === null || !Object.hasOwn(claims, wanted.claim)) return false;
  if (wanted.claim === 'email' && claims.email_verified !== true) return false;
  const given = claims[wanted.claim];
  return given === wanted.value || (Array.isArray(given) && given.includes(wanted.value));
}

/** Name and email address, from claims of any type. */
function aboutPerson(claims: Readonly<Record<string, unknown>>): Pick<OidcIdentity, 'name' | 'email'> {
  const text = (name: string): string | null => {
    const value = claims[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, maxName) : null;
  };
  const email = claims.email_verified === true && typeof claims.email === 'string' && claims.email.length <= 320 ? claims.email : null;
  return { name: text('name') ?? text('preferred_username') ?? text('given_name'), email };
}
