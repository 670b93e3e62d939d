import { isIPv4, isIPv6 } from 'node:net';

/** The URL at which browsers and programs reach this service: the base of all URLs in responses. */
export class PublicUrl {
  /** Without a trailing slash. */
  readonly base: string;
  readonly #host: string;

  /**
   * `url`: absolute, http or https, e.g. `http://127.0.0.1:6100`; a reverse proxy's path prefix is
   * kept.
   */
  constructor(url: string) {
    const parsed = new URL(url);
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
      throw new Error(`the public URL must start with http:// or https://, not ${parsed.protocol}//`);
    this.base = (parsed.origin + parsed.pathname).replace(/\/+$/, '');
    this.#host = parsed.host;
  }

  /** The URL of one of our paths, which starts with a slash. */
  at(path: string): string {
    return this.base + path;
  }

  get secure(): boolean {
    return this.base.startsWith('https:');
  }

  /**
   * The prefix of all our paths on this host: empty, or a reverse proxy's prefix, e.g. `/plotline`.
   */
  get path(): string {
    return new URL(this.base).pathname.replace(/\/$/, '');
  }

  /** Which absolute addresses are ours: the origin, and the prefix of all our paths. */
  get site(): { readonly origin: string; readonly base: string } {
    return { origin: new URL(this.base).origin, base: this.path };
  }

  /**
   * Whether a page from this origin is ours: the origin of the public URL, or of the address of
   * this service that the request was sent to. For the public host, only the exact origin counts:
   * if that is https, content that an attacker serves over http is not ours.
   */
  isOurOrigin(origin: string, host: string | undefined): boolean {
    if (origin === new URL(this.base).origin) return true;
    return !this.isPublicHost(host) && this.isOurHost(host) && (origin === `http://${host}` || origin === `https://${host}`);
  }

  /**
   * Whether a request was sent to the public URL itself, not to another address of this service.
   */
  isPublicHost(host: string | undefined): boolean {
    return host?.toLowerCase() === this.#host || host?.toLowerCase() === this.#host.replace(/:[0-9]+$/, '');
  }

  /**
   * Whether a Host header can only mean this service: the public URL's host, localhost, or a
   * numeric address. Any other name may belong to an attacker who redirected it here (DNS
   * rebinding).
   */
  isOurHost(host: string | undefined): boolean {
    if (host === undefined) return false;
    const name = host.replace(/:[0-9]{1,5}$/, '').toLowerCase();
    return (
      host.toLowerCase() === this.#host || name === 'localhost' || isIPv4(name) || (/^\[.*\]$/.test(name) && isIPv6(name.slice(1, -1)))
    );
  }
}
