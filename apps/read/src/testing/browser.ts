import { request as httpRequest } from 'node:http';

/** The response that a browser got. */
export interface BrowserResponse {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * A minimal browser for signing in: cookies per host, and redirects. `hosts`: maps names to
 * addresses, e.g. `plots.example` → `127.0.0.1:41234`.
 */
export class Browser {
  readonly #hosts: Readonly<Record<string, string>>;
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(hosts: Readonly<Record<string, string>>) {
    this.#hosts = hosts;
  }

  /** The value of a cookie; null if there is none. */
  cookie(host: string, name: string): string | null {
    return this.#cookies.get(host)?.get(name) ?? null;
  }

  /** Sends one request; does not follow redirects. A body is sent as a form. */
  async request(
    method: string,
    address: string | URL,
    { form, headers = {} }: { form?: Record<string, string>; headers?: Record<string, string> } = {},
  ): Promise<BrowserResponse> {
    const url = new URL(address);
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, jar);
    const [host, port] = (this.#hosts[url.host] ?? url.host).split(':');
    const body = form && new URLSearchParams(form).toString();
    const sent = {
      host: url.host,
      ...(jar.size > 0 && { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const request = httpRequest({ host, port, method, path: url.pathname + url.search, headers: sent }, (response) => {
        for (const line of response.headers['set-cookie'] ?? []) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
          if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name!);
          else jar.set(name!, value!);
        }
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('error', reject).on('end', () => {
          const fields = Object.entries(response.headersDistinct).flatMap(([name, values]) =>
            (values ?? []).map((value): [string, string] => [name, value]),
          );
          resolve({ url, status: response.statusCode!, headers: new Headers(fields), text });
        });
      });
      request.on('error', reject).end(body);
    });
  }

  /**
   * Opens a URL and follows redirects until a page is returned, or until `until` returns true for a
   * URL, which is then not requested.
   */
  async open(
    address: string | URL,
    until: (url: URL) => boolean = () => false,
  ): Promise<BrowserResponse & { readonly stoppedAt: URL | null }> {
    let response = await this.request('GET', address);
    for (let hops = 0; response.status >= 300 && response.status < 400; hops++) {
      if (hops > 20) throw new Error(`redirected more than 20 times: ${response.url.href}`);
      const next = new URL(response.headers.get('location')!, response.url);
      if (until(next)) return { ...response, stoppedAt: next };
      response = await this.request('GET', next);
    }
    return { ...response, stoppedAt: null };
  }

  /**
   * Signs in on the provider's page and follows redirects until the provider sends the browser
   * back. Returns that URL without requesting it.
   */
  async signInAtProvider(authorizationUrl: string | URL, login: string, back: string): Promise<URL> {
    const isBack = (url: URL): boolean => url.href.startsWith(back);
    const page = await this.open(authorizationUrl, isBack);
    if (page.stoppedAt) return page.stoppedAt; // still signed in there
    const sent = await this.request('POST', page.url, { form: { prompt: 'login', login, password: 'any' } });
    const done = await this.open(new URL(sent.headers.get('location')!, page.url), isBack);
    if (!done.stoppedAt) throw new Error(`the provider did not send the browser back: ${done.status} ${done.text.slice(0, 200)}`);
    return done.stoppedAt;
  }
}
