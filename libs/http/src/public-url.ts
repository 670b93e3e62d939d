import { isIPv4, isIPv6 } from 'node:net';

/** Where people and programs reach this service from outside: what every address in an answer starts with. */
export class PublicUrl {
  /** Without a slash at the end. */
  readonly base: string;
  readonly #host: string;

  /** `url`: absolute, http or https, e.g. `http://127.0.0.1:6100`; a path prefix of a reverse proxy is kept. */
  constructor(url: string) {
    const parsed = new URL(url);
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
      throw new Error(`the public URL must start with http:// or https://, not ${parsed.protocol}//`);
    this.base = (parsed.origin + parsed.pathname).replace(/\/+$/, '');
    this.#host = parsed.host;
  }

  /** The address of a path of ours that starts with a slash. */
  at(path: string): string {
    return this.base + path;
  }

  get secure(): boolean {
    return this.base.startsWith('https:');
  }

  /** What stands before every path of ours in an address of this host: empty, or the prefix of a reverse proxy, e.g. `/plotline`. */
  get path(): string {
    return new URL(this.base).pathname.replace(/\/$/, '');
  }

  /**
   * Whether a page of this origin is ours: it is the public URL's, or that of the address of this service which the request goes to. Of the public host only
   * the very origin counts: where it is https, what somebody on the way has made of http is not ours.
   */
  isOurOrigin(origin: string, host: string | undefined): boolean {
    if (origin === new URL(this.base).origin) return true;
    return !this.isPublicHost(host) && this.isOurHost(host) && (origin === `http://${host}` || origin === `https://${host}`);
  }

  /** Whether a request was sent to the public URL itself, and not to another address of this service. */
  isPublicHost(host: string | undefined): boolean {
    return host?.toLowerCase() === this.#host || host?.toLowerCase() === this.#host.replace(/:[0-9]+$/, '');
  }

  /**
   * Whether a Host header can only mean this service: the public URL's own, localhost, or an address in numbers. Any other name may be
   * somebody's who made it point here (DNS rebinding).
   */
  isOurHost(host: string | undefined): boolean {
    if (host === undefined) return false;
    const name = host.replace(/:[0-9]{1,5}$/, '').toLowerCase();
    return (
      host.toLowerCase() === this.#host || name === 'localhost' || isIPv4(name) || (/^\[.*\]$/.test(name) && isIPv6(name.slice(1, -1)))
    );
  }
}
