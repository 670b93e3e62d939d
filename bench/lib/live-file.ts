import { crc32c } from '@node-rs/crc32';
import { crc32cDigest } from '#model';
import { HttpClient } from './http.ts';
import { Training } from './live.ts';
import type { Service } from './service.ts';

/** The event file of a training run that logs one step at a time; each step is sent immediately. */
export class LiveFile {
  readonly experimentId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #url: string;
  readonly #http: HttpClient;
  readonly #pieces: Uint8Array[] = [];
  readonly #training = new Training((bytes) => this.#pieces.push(Uint8Array.from(bytes)), 5);
  #offset = 0;
  /** The last acknowledged epoch. */
  epoch = 0;

  private constructor(http: HttpClient, headers: Readonly<Record<string, string>>, experimentId: string, url: string) {
    this.#http = http;
    this.headers = headers;
    this.experimentId = experimentId;
    this.#url = url;
  }

  static async open(service: Service): Promise<LiveFile> {
    const http = new HttpClient();
    const headers = { authorization: `Bearer ${service.token}` };
    const api = `${service.origin}/api/v1`;
    const post = <T>(path: string, body: unknown) =>
      http.json<T>(`${api}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { id } = await post<{ id: string }>('/experiments', { name: 'live' });
    const { file_id: file } = await post<{ file_id: string }>(`/experiments/${id}/files`, {
      run: 'run',
      name: 'events.out.tfevents.1780000000.host.1.0',
    });
    return new LiveFile(http, headers, id, `${api}/files/${file}`);
  }

  /**
   * Logs and sends a step. Returns when it was acknowledged, in milliseconds of this process's
   * clock.
   */
  async step(): Promise<number> {
    this.#training.step();
    const body = Buffer.concat(this.#pieces.splice(0));
    const { headers } = await this.#http.expect(this.#url, {
      method: 'PATCH',
      headers: { ...this.headers, 'upload-offset': String(this.#offset), 'content-digest': crc32cDigest(crc32c(body)) },
      body,
    });
    this.#offset += body.length;
    this.epoch = Number(headers['upload-epoch']);
    return performance.now();
  }

  close(): void {
    this.#http.close();
  }
}
