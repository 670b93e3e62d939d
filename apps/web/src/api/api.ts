import { ApiProblem } from './problem.ts';

/** An answer, and by how many ms the server's clock, which tells seconds, is ahead of the visitor's. */
interface Timed<T> {
  readonly body: T;
  readonly ahead: number;
}

/** The read API below one address: `/api/v1`, or with the prefix of a proxy. The browser's cookie says who asks. */
export class Api {
  readonly #root: string;

  /** `base`: what stands before every path of the service, empty or `/prefix`. */
  constructor(base: string) {
    this.#root = `${base}/api/v1`;
  }

  /** The address of a path of the API, for links. */
  at(path: string): string {
    return this.#root + path;
  }

  /** JSON of a GET. Throws `ApiProblem`, or what `fetch` throws when there is no answer. */
  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await this.#send(path, { signal })) as T;
  }

  /** The same, and when by the clock of the server. */
  async getTimed<T>(path: string, signal?: AbortSignal): Promise<Timed<T>> {
    const response = await fetch(this.at(path), { signal });
    if (!response.ok) throw await ApiProblem.of(response);
    const told = Date.parse(response.headers.get('Date') ?? '');
    const ahead = Number.isNaN(told) ? 0 : told - Date.now();
    return { body: (await response.json()) as T, ahead };
  }

  /** JSON of a POST that only reads. */
  query<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return this.send<T>('POST', path, body, signal);
  }

  /** Changes something, or asks with a body. An answer without one is undefined. */
  async send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    return (await this.#send(path, { method, signal, ...init })) as T;
  }

  /** The bytes of a query's answer in a media type of choice, and the token of its next page. */
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

  /** All of a list, page by page. */
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
