import * as client from 'openid-client';
import { Problem } from '#model';
import type { IdentityKey } from '#store';
import { signInFault } from './sign-in-fault.ts';
import type { OidcSettings } from './oidc-settings.ts';

/** What a provider says of somebody. */
export interface OidcIdentity extends IdentityKey {
  /** As they want to be called; null: the provider did not say. */
  readonly name: string | null;
  /** Only where the provider says that it has verified it. */
  readonly email: string | null;
}

/** What binds an answer of the provider to the browser that it was asked for. All are random. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636, 4.1: 43 characters at least. */
  readonly codeVerifier: string;
}

/** One call to the provider, at most. */
const timeoutSeconds = 10;
/** How far its clock may be off. */
const clockToleranceSeconds = 60;
/** The clock of this machine may drift by so much before the library is told. */
const maxDriftSeconds = 10;
/** A discovery document is read again after this long. */
const maxAgeMs = 3_600_000;
/** A provider that does not answer is not asked again at once, however many want to sign in. */
const restMs = 1_000;
const maxName = 100;

/**
 * The OpenID provider, by its discovery document. Authorization code flow with PKCE (S256), state and nonce; `iss` of the answer (RFC 9207) is checked where
 * the provider sends it, and the ID token's signature, issuer, audience and times always. Whatever does not hold is thrown as `sign-in-failed`, a provider that cannot
 * be reached as `provider-unavailable`.
 */
export class OidcProvider {
  readonly #settings: OidcSettings;
  #known: { configuration: Promise<client.Configuration>; until: number; skewSeconds: number } | null = null;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
  }

  /** For people. */
  get name(): string {
    return this.#settings.name;
  }

  /** Where a browser is sent to sign in. `now`: milliseconds since 1970. */
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

  /** Who came back: `answer` is the redirect URI with the query that the browser brought; `now`: milliseconds since 1970, which decides on the times of the ID token. */
  async identify(answer: URL, { state, nonce, codeVerifier }: OidcChecks, now: number): Promise<OidcIdentity> {
    const configuration = await this.#discover(now);
    try {
      const tokens = await client.authorizationCodeGrant(configuration, answer, {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // OpenID Connect Core, 5.4: claims of the scopes profile and email may be at the UserInfo endpoint only.
      const asked = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
      const more = asked ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
      return { issuer: claims.iss, subject: claims.sub, ...aboutPerson({ ...more, ...claims }) };
    } catch (error) {
      throw signInFault(error, this.name);
    }
  }

  /** The library goes by the clock of this machine, and is told once how far that is off: when this has changed, it is told again. */
  #discover(now: number): Promise<client.Configuration> {
    const skewSeconds = Math.round((now - Date.now()) / 1_000);
    if (this.#known && this.#known.until > performance.now() && Math.abs(this.#known.skewSeconds - skewSeconds) <= maxDriftSeconds)
      return this.#known.configuration;
    const configuration = this.#ask(skewSeconds);
    const known = { configuration, until: performance.now() + maxAgeMs, skewSeconds };
    this.#known = known;
    configuration.catch(() => (known.until = performance.now() + restMs));
    return configuration;
  }

  async #ask(skewSeconds: number): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
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
      // Whatever is wrong with it, nobody can sign in until the provider or the settings are mended.
      throw new Problem('provider-unavailable', `${this.name} is not available for sign-in. Try again in a moment.`, { cause: error });
    }
  }
}

/** A name and an address, from claims that may be anything. */
function aboutPerson(claims: Readonly<Record<string, unknown>>): Pick<OidcIdentity, 'name' | 'email'> {
  const text = (name: string): string | null => {
    const value = claims[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, maxName) : null;
  };
  const email = claims.email_verified === true && typeof claims.email === 'string' && claims.email.length <= 320 ? claims.email : null;
  return { name: text('name') ?? text('preferred_username') ?? text('given_name'), email };
}
