import { ApiProblem } from './problem.ts';

/**
 * A response, and by how many ms the server's clock is ahead of the visitor's. The server's clock
 * has a resolution of seconds.
 */
interface Timed<T> {
  readonly body: T;
  readonly ahead: number;
}

/**
 * The read API below one base path: `/api/v1`, or with the prefix of a proxy. The browser's cookie
 * identifies the caller.
 */
export class Api {
  readonly #root: string;

  /** `base`: the prefix of every path of the service, empty or `/prefix`. */
  constructor(base: string) {
    this.#root = `${base}/api/v1`;
  }

  /** Whether responses come from files and never change. */
  get isStored(): boolean {
    return false;
  }

  /** Whether scripts can read images and clips; pages from `file://` can only show them. */
  get canReadBlobs(): boolean {
    return true;
  }

  /** The URL of a path of the API, for links. */
  at(path: string): string {
    return this.#root + path;
  }

  /** JSON of a GET. Throws `ApiProblem`, or the error of `fetch` if there is no response. */
  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await this.#send(path, { signal })) as T;
  }

  /** The same, with the time of the server's clock. */
  async getTimed<T>(path: string, signal?: AbortSignal): Promise<Timed<T>> {
    const response = await fetch(this.at(path), { signal });
    if (!response.ok) throw await ApiProblem.of(response);
    const serverTime = Date.parse(response.headers.get('Date') ?? '');
    const ahead = Number.isNaN(serverTime) ? 0 : serverTime - Date.now();
    return { body: (await response.json()) as T, ahead };
  }

  /** JSON of a POST that only reads. */
  query<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return this.send<T>('POST', path, body, signal);
  }

  /** Changes something, or queries with a body. A response without a body is undefined. */
  async send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    return (await this.#send(path, { method, signal, ...init })) as T;
  }

  /** Sends a DELETE, optionally with a body. `keepalive`: also while the page is being left. */
  async remove(path: string, keepalive = false, body?: unknown): Promise<void> {
    const init = { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    await this.#send(path, { method: body === undefined ? 'DELETE' : 'POST', keepalive, ...(body !== undefined && init) });
  }

  /** The bytes of a query's response in a given media type, and the token of its next page. */
  async download(path: string, body: unknown, type: string): Promise<{ readonly bytes: Blob; readonly next: string | null }> {
    const response = await fetch(this.at(path), {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', Accept: type },
    });
    if (!response.ok) throw await ApiProblem.of(response);
    return { bytes: await response.blob(), next: response.headers.get('Next-Page-Token') };
  }

  /** The bytes of a GET. */
  async bytes(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    const response = await fetch(this.at(path), { signal });
    if (!response.ok) throw await ApiProblem.of(response);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** A complete list, page by page. */
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
