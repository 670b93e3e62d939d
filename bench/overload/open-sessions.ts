import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32cDigest } from '#model';
import { type ServiceApart, startServiceApart } from '../apart.ts';
import { FileSender, newExperiment } from './file-sender.ts';

export interface Sessions {
  readonly bound: number;
  /** The most that were neither refused nor cut at the same time. */
  readonly mostOpen: number;
  /** Answered 429; 408, after the time in which a body may be idle; closed without an answer. */
  readonly refused: number;
  readonly cut: number;
  readonly dropped: number;
  readonly peakBytes: number;
}

/** Connections that are made at the same moment; more would only find the queue of the listening socket full. */
const atOnce = 200;
/** Those that are not answered by then are let in. */
const quietMs = 3_000;

/** Many bodies of one workspace that are begun and never end (reliability test 57): how many are let in, and what the others are told. */
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
    sender.close();
    const ends = { refused: 0, cut: 0, dropped: 0 };
    let mostOpen = 0;
    let lastAt = performance.now();
    const onEnd = (end: keyof typeof ends): void => {
      ends[end]++;
      lastAt = performance.now();
    };
    while (sockets.length < options.sessions) {
      const batch = Array.from({ length: Math.min(atOnce, options.sessions - sockets.length) }, (_, n) =>
        begin(service, fileId, sockets.length + n, onEnd),
      );
      sockets.push(...(await Promise.all(batch)));
      lastAt = performance.now();
      while (performance.now() - lastAt < quietMs && sockets.length - ends.refused - ends.cut - ends.dropped > bound) await delay(20);
      mostOpen = Math.max(mostOpen, sockets.length - ends.refused - ends.cut - ends.dropped);
    }
    options.say(`${options.sessions} bodies begun: ${ends.refused} refused, ${ends.cut} cut, ${mostOpen} open at the same time`);
    return { bound, mostOpen, ...ends, peakBytes: service.peaks().upload };
  } finally {
    for (const socket of sockets) socket.destroy();
    await service.stop();
  }
}

async function begin(
  service: ServiceApart,
  fileId: string,
  n: number,
  onEnd: (end: 'refused' | 'cut' | 'dropped') => void,
): Promise<Socket> {
  const { hostname, port } = new URL(service.uploadOrigin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  let answered = false;
  socket.setEncoding('latin1').on('data', (text: string) => {
    if (answered) return;
    answered = true;
    onEnd(text.startsWith('HTTP/1.1 429 ') ? 'refused' : 'cut');
  });
  socket.once('close', () => {
    if (!answered) onEnd('dropped');
  });
  socket.write(
    `PATCH /api/v1/files/${fileId} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${service.token}\r\nUpload-Offset: ${n * 16}\r\n` +
      `Content-Digest: ${crc32cDigest(0)}\r\nContent-Length: 16\r\n\r\nx`,
  );
  return socket;
}
