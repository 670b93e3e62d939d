import { ApiProblem } from './problem.ts';

/**
 * A response, and how many ms the server's clock is ahead of the visitor's. The server's clock has
 * a resolution of one second.
 */
interface Timed<T> {
  readonly body: T;
  readonly ahead: number;
}

/**
 * The read API below a base path: `/api/v1`, behind the proxy's prefix if there is one. The
 * browser's cookie identifies the caller.
 */
export class Api {
  readonly #root: string;

  /** `base`: the prefix of all paths of the service: empty or `/prefix`. */
  constructor(base: string) {
    this.#root = `${base}/api/v1`;
  }

  /** Whether responses come from files and never change. */
  get isStored(): boolean {
    return false;
  }

  /** Whether scripts can read images and clips. Pages opened from `file://` can only show them. */
  get canReadBlobs(): boolean {
    return true;
  }

  /** The URL of an API path, for use in links. */
  at(path: string): string {
    return this.#root + path;
  }

  /**
   * Sends a GET and returns the JSON. Throws `ApiProblem`, or the error of `fetch` if there is no
   * response.
   */
  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await this.#send(path, { signal })) as T;
  }

  /** Like `get`, but also measures how far the server's clock is ahead of the visitor's. */
  async getTimed<T>(path: string, signal?: AbortSignal): Promise<Timed<T>> {
    const response = await fetch(this.at(path), { signal });
    if (!response.ok) throw await ApiProblem.of(response);
    const serverTime = Date.parse(response.headers.get('Date') ?? '');
    const ahead = Number.isNaN(serverTime) ? 0 : serverTime - Date.now();
    return { body: (await response.json()) as T, ahead };
  }

  /** Sends a POST request that only reads data, and returns the JSON. */
  query<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return this.send<T>('POST', path, body, signal);
  }

  /**
   * Changes something, or sends a query in the body. Returns undefined if the response has no body.
   */
  async send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    return (await this.#send(path, { method, signal, ...init })) as T;
  }

  /**
   * Sends a DELETE, or a POST if there is a body. `keepalive`: whether to finish the request even
   * if the reader leaves the page.
   */
  async remove(path: string, keepalive = false, body?: unknown): Promise<void> {
    const init = { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    await this.#send(path, { method: body === undefined ? 'DELETE' : 'POST', keepalive, ...(body !== undefined && init) });
  }

  /**
   * Sends a query. Returns the response's bytes in this media type, and the token of the next page.
   */
  async download(path: string, body: unknown, type: string): Promise<{ readonly bytes: Blob; readonly next: string | null }> {
    const response = await fetch(this.at(path), {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', Accept: type },
    });
    if (!response.ok) throw await ApiProblem.of(response);
    return { bytes: await response.blob(), next: response.headers.get('Next-Page-Token') };
  }

  /** Sends a GET and returns the bytes. */
  async bytes(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    const response = await fetch(this.at(path), { signal });
    if (!response.ok) throw await ApiProblem.of(response);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** Reads a complete list, page by page. */
  async list<T>(path: string, field: string, signal?: AbortSignal): Promise<T[]> {
    const items: T[] = [];
    for (let token = ''; ;) {
      const page: Record<string, unknown> = await this.get(
        token === '' ? path : `${path}${path.includes('?') ? '&' : '?'}page_token=${token}`,
        signal,
      );
      items.push(...(page[field] as T[]));
      if (typeof page.next_page_token !== 'string') return items;
      token = page.next_page_token;
    }
  }

  async #send(path: string, init: RequestInit): Promise<unknown> {
    const response = await fetch(this.at(path), init);
    if (!response.ok) throw await ApiProblem.of(response);
    return response.status === 204 ? undefined : response.json();
  }
}
