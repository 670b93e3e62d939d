import { createHash } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import type { Service } from './service.ts';

/** The response to an announcement. */
export interface Announced {
  readonly file_id: string;
  readonly version: number;
  readonly offset: number;
  readonly crc32c: string;
}

/** A problem of a file. */
export interface ListedProblem {
  readonly run: string;
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  readonly reason: string;
  readonly detail: string;
}

/** An upload without the CLI: any bytes, in any order, under any name. */
export class Sender {
  readonly service: Service;
  readonly experimentId: string;

  private constructor(service: Service, experimentId: string) {
    this.service = service;
    this.experimentId = experimentId;
  }

  /** Creates an experiment to which files are sent. */
  static async start(service: Service): Promise<Sender> {
    return new Sender(service, (await service.json<{ id: string }>('/experiments', {})).id);
  }

  get path(): string {
    return `/experiments/${this.experimentId}`;
  }

  announce(run: string, name = 'events.out.tfevents.1'): Promise<Announced> {
    return this.service.json<Announced>(`${this.path}/files`, { run, name });
  }

  append(fileId: string, offset: number, bytes: Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
    return this.service.fetch(`/files/${fileId}`, {
      method: 'PATCH',
      headers: {
        'upload-offset': String(offset),
        'content-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
        'content-type': 'application/octet-stream',
        ...headers,
      },
      body: new Uint8Array(bytes),
    });
  }

  /** Sends a file in ranges of `rangeBytes`, which must all be accepted. */
  async send(
    run: string,
    bytes: Uint8Array,
    { name = 'events.out.tfevents.1', rangeBytes = 8 * 1024 * 1024, complete = true } = {},
  ): Promise<Announced> {
    const file = await this.announce(run, name);
    for (let at = file.offset; at < bytes.length; at += rangeBytes) {
      const response = await this.append(file.file_id, at, bytes.subarray(at, at + rangeBytes));
      if (response.status !== 204) throw new Error(`append at ${at}: ${response.status} ${await response.text()}`);
    }
    if (complete) await this.complete(file.file_id, bytes);
    return file;
  }

  async complete(fileId: string, bytes: Uint8Array): Promise<void> {
    await this.service.json(`/files/${fileId}/complete`, { bytes: bytes.length, crc32c: crc32c(bytes).toString(16).padStart(8, '0') });
  }

  /** Resolves when every acknowledged byte is settled. */
  async visible(): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const { acknowledged_epoch: epoch } = await this.service.json<{ acknowledged_epoch: number }>(`${this.path}/frontier`);
      if ((await this.service.fetch(`${this.path}/frontier?wait_for=${epoch}&timeout=30`)).ok) return;
    }
    throw new Error('not visible after ten minutes');
  }

  async problems(): Promise<ListedProblem[]> {
    return (await this.service.json<{ problems: ListedProblem[] }>(`${this.path}/problems?page_size=1000`)).problems;
  }
}
