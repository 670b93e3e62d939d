import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

type Algorithm = 'RS256' | 'ES256';

/**
 * An OIDC token issuer on this machine, with a discovery document, a key set that a test changes,
 * and a list of requests.
 */
export class LocalIssuer {
  /** The claim `iss`. */
  readonly url: string;
  /** Requested paths, in order. */
  readonly asked: string[] = [];
  /** The response to the next requests instead of the normal one. */
  broken: { readonly status: number; readonly body: string; readonly headers?: Record<string, string> } | null = null;
  readonly #server: Server;
  readonly #published = new Map<string, JWK>();
  readonly #private = new Map<string, { key: CryptoKey; algorithm: Algorithm }>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      this.asked.push(request.url!);
      if (this.broken) response.writeHead(this.broken.status, this.broken.headers).end(this.broken.body);
      else if (request.url === '/.well-known/openid-configuration')
        response.end(JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys`, authorization_endpoint: `${this.url}/never` }));
      else if (request.url === '/keys') response.end(JSON.stringify({ keys: [...this.#published.values()] }));
      else response.writeHead(404).end();
    });
  }

  static async start(): Promise<LocalIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LocalIssuer(server);
  }

  /** Creates a key and publishes it. */
  async addKey(kid: string, algorithm: Algorithm = 'RS256'): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair(algorithm);
    this.#private.set(kid, { key: privateKey, algorithm });
    this.#published.set(kid, { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' });
  }

  /** Unpublishes a key; tokens can still be signed with it. */
  withdraw(kid: string): void {
    this.#published.delete(kid);
  }

  /**
   * A token of this issuer, valid for ten minutes unless `claims` override that; an undefined claim
   * is omitted.
   */
  async sign(kid: string, claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
    const { key, algorithm } = this.#private.get(kid)!;
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: this.url, iat: now, exp: now + 600, jti: randomUUID(), ...claims };
    return new SignJWT(all).setProtectedHeader({ alg: algorithm, kid, typ: 'JWT', ...header }).sign(key);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
