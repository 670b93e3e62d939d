import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';

/** A release of a package: its manifest, its tarball, and its publication date. */
export interface Release {
  readonly manifest: { readonly name: string; readonly version: string; readonly scripts?: object };
  readonly tarball: Buffer;
  readonly published: Date;
}

/** The parts of an npm registry that `npm install` and `npm audit` need. */
export class FakeRegistry {
  readonly #server: Server;
  readonly #releases: readonly Release[];
  /** Known vulnerabilities by package; null if the registry does not respond to such requests. */
  advisories: Readonly<Record<string, readonly object[]>> | null = null;

  constructor(releases: readonly Release[]) {
    this.#releases = releases;
    this.#server = createServer((request, response) => {
      request.resume();
      const result = request.method === 'POST' ? this.advisories : this.#get(decodeURIComponent(request.url!));
      if (result instanceof Buffer) response.end(result);
      else if (result) response.setHeader('Content-Type', 'application/json').end(JSON.stringify(result));
      else response.writeHead(404).end('{}');
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #get(path: string): Buffer | object | null {
    const [, name, , file] = path.split('/');
    const releases = this.#releases.filter(({ manifest }) => manifest.name === name);
    if (file) return releases.find(({ manifest }) => file === `${name}-${manifest.version}.tgz`)?.tarball ?? null;
    if (releases.length === 0) return null;
    return {
      name,
      'dist-tags': { latest: releases.at(-1)!.manifest.version },
      time: Object.fromEntries(releases.map(({ manifest, published }) => [manifest.version, published.toISOString()])),
      versions: Object.fromEntries(releases.map((release) => [release.manifest.version, this.#describe(release)])),
    };
  }

  #describe({ manifest, tarball }: Release): object {
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const dist = { integrity, tarball: `${this.url}/${manifest.name}/-/${manifest.name}-${manifest.version}.tgz` };
    return { ...manifest, hasInstallScript: manifest.scripts !== undefined, dist };
  }
}
