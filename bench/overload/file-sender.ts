import { crc32c } from '@node-rs/crc32';
import { connect, type Socket } from 'node:net';
import { crc32cDigest } from '#model';
import { HttpClient } from '../lib/http.ts';
import type { Service } from '../lib/service.ts';

/** Creates an experiment and returns its id. */
export async function newExperiment(service: Service, name: string): Promise<string> {
  const http = new HttpClient();
  try {
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
    return (
      await http.json<{ id: string }>(`${service.origin}/api/v1/experiments`, { method: 'POST', headers, body: JSON.stringify({ name }) })
    ).id;
  } finally {
    http.close();
  }
}

/**
 * The response to an append. `retryAfterMs`: the delay that a rejection (429, 503) requested; null
 * if there was none.
 */
export interface Attempt {
  readonly status: number;
  readonly retryAfterMs: number | null;
  /** Whether a rejection stated the quota and what remains of it. */
  readonly statesQuota: boolean;
}

/** One connection that sends the ranges of one file in order. */
export class FileSender {
  readonly #service: Service;
  readonly #http = new HttpClient();
  readonly #headers: Readonly<Record<string, string>>;

  constructor(service: Service) {
    this.#service = service;
    this.#headers = { authorization: `Bearer ${service.token}` };
  }

  async announce(experimentId: string, run: string): Promise<string> {
    const { file_id: fileId } = await this.#http.json<{ file_id: string }>(
      `${this.#service.origin}/api/v1/experiments/${experimentId}/files`,
      {
        method: 'POST',
        headers: { ...this.#headers, 'content-type': 'application/json' },
        body: JSON.stringify({ run, name: 'events.out.tfevents.1' }),
      },
    );
    return fileId;
  }

  async append(fileId: string, offset: number, body: Buffer): Promise<Attempt> {
    const { status, headers } = await this.#http.send(`${this.#service.origin}/api/v1/files/${fileId}`, {
      method: 'PATCH',
      headers: { ...this.#headers, 'upload-offset': String(offset), 'content-digest': crc32cDigest(crc32c(body)) },
      body,
    });
    const asked = headers['retry-after'];
    return {
      status,
      retryAfterMs: asked === undefined ? null : Number(asked) * 1_000,
      statesQuota: headers['ratelimit'] !== undefined && headers['ratelimit-policy'] !== undefined,
    };
  }

  close(): void {
    this.#http.close();
  }
}

/** A body that is sent a few bytes per second and never ends. */
export class SlowBody {
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;
  cut = false;

  constructor(service: Service, fileId: string, bytesPerSecond: number) {
    const { hostname, port } = new URL(service.origin);
    const length = 8 * 1024 * 1024;
    this.#socket = connect(Number(port), hostname);
    this.#socket
      .on('error', () => undefined)
      .on('close', () => (this.cut = true))
      .resume();
    this.#socket.write(
      `PATCH /api/v1/files/${fileId} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${service.token}\r\nUpload-Offset: 0\r\n` +
        `Content-Digest: ${crc32cDigest(0)}\r\nContent-Length: ${length}\r\n\r\n`,
    );
    this.#timer = setInterval(() => this.#socket.write(Buffer.alloc(bytesPerSecond)), 1_000);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket.destroy();
  }
}
