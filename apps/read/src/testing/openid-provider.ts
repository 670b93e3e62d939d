import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** The provider's data about a person who signs in. */
export interface Account {
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

/**
 * A certified OpenID provider on this machine. Anyone can sign in with any name; `accounts` has the
 * claims.
 */
export class OpenIdProvider {
  static readonly clientId = 'plotline';
  static readonly clientSecret = 'a secret that is long enough for anybody';
  readonly accounts = new Map<string, Account>();
  readonly issuer: string;
  readonly #port: number;
  readonly #listener: RequestListener;
  #server: Server | null;

  private constructor(server: Server, redirectUri: string) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    this.issuer = `http://127.0.0.1:${this.#port}`;
    const provider = new Provider(this.issuer, {
      clients: [{ client_id: OpenIdProvider.clientId, client_secret: OpenIdProvider.clientSecret, redirect_uris: [redirectUri] }],
      pkce: { required: () => true },
      claims: { profile: ['name'], email: ['email', 'email_verified'] },
      cookies: { keys: ['of a test'] },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...this.accounts.get(id) }) }),
      // Consent is never requested.
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    });
    const result = provider.callback();
    this.#listener = (request, response) => void result(request, response);
    server.on('request', this.#listener);
  }

  static async start(redirectUri: string): Promise<OpenIdProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OpenIdProvider(server, redirectUri);
  }

  /** Stops responding. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    server?.closeAllConnections();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Restarts at the same address. */
  async restart(): Promise<void> {
    const server = createServer(this.#listener);
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#server = server;
  }
}
