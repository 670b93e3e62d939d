import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32cDigest } from '#model';
import { type ServiceApart, startServiceApart } from '../lib/apart.ts';
import { FileSender, newExperiment } from './file-sender.ts';

export interface Sessions {
  readonly bound: number;
  readonly opened: number;
  /** Maximum number of bodies that were open and neither rejected nor aborted. */
  readonly maxOpen: number;
  /**
   * Bodies by response: 429; 408 after the idle limit of a body; closed without a response, or with
   * another response.
   */
  readonly rejected: number;
  readonly cut: number;
  readonly dropped: number;
  /** From the last byte of an aborted body to its response. */
  readonly firstCutSeconds: number;
  readonly lastCutSeconds: number;
  /** Connections that the service has not closed {@link giveUpMs} after the last byte. */
  readonly stillOpen: number;
  /** Bytes that were sent before, between and after the aborts and differ when read back. */
  readonly lostBytes: number;
  readonly peakBytes: number;
}

/** Connections opened at the same moment; more would overflow the listen backlog. */
const atOnce = 200;
/** A body without a response after this time counts as accepted. */
const quietMs = 3_000;
/** The idle limit of a body is 30 s; after this time every body must have ended. */
const giveUpMs = 35_000;

/**
 * Opens many bodies of one workspace that start and never end (reliability test 57). Measures how
 * many are accepted, how the others are rejected, when accepted bodies are aborted, and which bytes
 * of the file are kept.
 */
export async function openSessions(
  folder: string,
  options: { readonly sessions: number; readonly say: (line: string) => void },
): Promise<Sessions> {
  const service = await startServiceApart(folder);
  const sockets: Socket[] = [];
  try {
    const limits = (await (await fetch(`${service.origin}/api/v1/limits`)).json()) as { maxConcurrentAppendsPerWorkspace: number };
    const bound = limits.maxConcurrentAppendsPerWorkspace;
    const sender = new FileSender(service);
    const fileId = await sender.announce(await newExperiment(service, 'sessions'), 'run');
    const before = randomBytes(64 * 1024);
    await append(sender, fileId, 0, before);
    const ends = { rejected: 0, cut: 0, dropped: 0 };
    const cutSeconds: number[] = [];
    let closed = 0;
    let maxOpen = 0;
    let lastAt = performance.now();
    const open = (): number => sockets.length - ends.rejected - ends.cut - ends.dropped;
    const hear: Hearing = {
      end: (end, seconds) => {
        ends[end]++;
        if (end === 'cut') cutSeconds.push(seconds);
        lastAt = performance.now();
      },
      close: () => void closed++,
    };
    while (sockets.length < options.sessions) {
      const batch = Array.from({ length: Math.min(atOnce, options.sessions - sockets.length) }, (_, n) =>
        begin(service, fileId, before.length + (sockets.length + n) * bodyBytes, hear),
      );
      sockets.push(...(await Promise.all(batch)));
      lastAt = performance.now();
      while (performance.now() - lastAt < quietMs && open() > bound) await delay(20);
      maxOpen = Math.max(maxOpen, open());
    }
    options.say(`${options.sessions} bodies started: ${ends.rejected} rejected, ${ends.cut} aborted, ${maxOpen} open at the same time`);
    const until = performance.now() + giveUpMs;
    while (closed < sockets.length && performance.now() < until) await delay(50);
    const stillOpen = sockets.length - closed;
    options.say(`${ends.cut} aborted in the end, ${stillOpen} connections still open`);
    const after = randomBytes(1024);
    await append(sender, fileId, await durableOffset(service, fileId), after);
    sender.close();
    const lostBytes = differing(await contentOf(service, fileId), Buffer.concat([before, after]));
    const cuts = { firstCutSeconds: Math.min(...cutSeconds), lastCutSeconds: Math.max(...cutSeconds) };
    return { bound, opened: sockets.length, maxOpen: maxOpen, ...ends, ...cuts, stillOpen, lostBytes, peakBytes: service.peaks().upload };
  } finally {
    for (const socket of sockets) socket.destroy();
    await service.stop();
  }
}

/**
 * Callbacks for a body: for the response or the end of the connection, with the seconds since the
 * last byte, and for the close of the connection.
 */
interface Hearing {
  end(end: 'rejected' | 'cut' | 'dropped', seconds: number): void;
  close(): void;
}

const bodyBytes = 16;

/** Starts a body and sends its first byte. */
async function begin(service: ServiceApart, fileId: string, offset: number, hear: Hearing): Promise<Socket> {
  const { hostname, port } = new URL(service.uploadOrigin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const sent = performance.now();
  const end = (how: 'rejected' | 'cut' | 'dropped'): void => hear.end(how, (performance.now() - sent) / 1_000);
  let responded = false;
  socket.setEncoding('latin1').on('data', (text: string) => {
    if (responded) return;
    responded = true;
    const status = /^HTTP\/1\.1 (\d+) /.exec(text)?.[1];
    end(status === '429' ? 'rejected' : status === '408' ? 'cut' : 'dropped');
  });
  socket.once('close', () => {
    if (!responded) end('dropped');
    hear.close();
  });
  socket.write(
    `PATCH /api/v1/files/${fileId} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${service.token}\r\nUpload-Offset: ${offset}\r\n` +
      `Content-Digest: ${crc32cDigest(0)}\r\nContent-Length: ${bodyBytes}\r\n\r\nx`,
  );
  return socket;
}

async function append(sender: FileSender, fileId: string, offset: number, body: Buffer): Promise<void> {
  const { status } = await sender.append(fileId, offset, body);
  if (status !== 204) throw new Error(`an append got status ${status}`);
}

/** Returns the durable offset in the response to HEAD. */
async function durableOffset(service: ServiceApart, fileId: string): Promise<number> {
  const { headers } = await fetch(`${service.origin}/api/v1/files/${fileId}`, { method: 'HEAD', headers: authorization(service) });
  return Number(headers.get('upload-offset'));
}

async function contentOf(service: ServiceApart, fileId: string): Promise<Buffer> {
  const response = await fetch(`${service.origin}/api/v1/files/${fileId}/content`, { headers: authorization(service) });
  return Buffer.from(await response.arrayBuffer());
}

function authorization(service: ServiceApart): { readonly authorization: string } {
  return { authorization: `Bearer ${service.token}` };
}

/**
 * Counts the bytes of `sent` that are missing from `found` or differ, plus surplus bytes of
 * `found`.
 */
function differing(found: Buffer, sent: Buffer): number {
  return sent.reduce((sum, byte, i) => sum + Number(byte !== found[i]), 0) + Math.max(0, found.length - sent.length);
}
