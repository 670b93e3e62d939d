import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { RequestRates } from '#workspaces';
import type { Service } from '../lib/service.ts';
import { FileSender } from './file-sender.ts';
import type { LoudCommand, LoudReport, Noise, NoiseTarget } from './loud-clients.ts';
import { smallBody } from './small-body.ts';

/* The program that {@link LoudClients} starts. */

const say = (report: LoudReport): void => void process.send!(report);
let end: (() => Promise<Noise>) | null = null;

process.on('message', (command: LoudCommand) => {
  if ('begin' in command) {
    void startNoise(command.begin).then((stop) => {
      end = stop;
      say({ loud: true });
    });
  } else {
    void end?.().then((noise) => say({ noise }));
  }
});

async function startNoise(target: NoiseTarget): Promise<() => Promise<Noise>> {
  const standIn = target.service ? null : await startStandIn(target.requestsPerMinute);
  const origin = target.service?.origin ?? `http://127.0.0.1:${(standIn!.address() as AddressInfo).port}`;
  const service = { origin, token: target.service?.token ?? '' } as Service;
  const noise = { served: 0, rejected: 0 };
  const ended = new AbortController();
  let neverRejected = target.connections;
  const sending = Array.from({ length: target.connections }, async (_, n) => {
    const sender = new FileSender(service);
    let fileId: string | null = null;
    let wasRejected = false;
    const rejected = async (waitMs: number): Promise<void> => {
      if (!wasRejected) neverRejected--;
      wasRejected = true;
      noise.rejected++;
      await delay(waitMs, undefined, { signal: ended.signal }).catch(() => undefined);
    };
    for (let offset = 0; !ended.signal.aborted;) {
      try {
        fileId ??= await sender.announce(target.experimentId, `${target.name}-${n}`);
      } catch (error) {
        if (!(error instanceof Error) || !error.message.includes(': 429 ')) throw error;
        await rejected(1_000);
        continue;
      }
      const { status, retryAfterMs } = await sender.append(fileId, offset, smallBody);
      if (status === 204) {
        offset += smallBody.length;
        noise.served++;
      } else {
        await rejected(retryAfterMs ?? 0);
      }
    }
    sender.close();
  });
  while (neverRejected > 0) await delay(50);
  return async () => {
    ended.abort();
    await Promise.all(sending);
    standIn?.close();
    return noise;
  };
}

/** Accepts and rejects as the service does, and stores nothing. */
async function startStandIn(requestsPerMinute: number): Promise<Server> {
  const rates = new RequestRates();
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      void rates.take('loud', requestsPerMinute).then(({ granted, waitMs }) => {
        if (granted === 0) response.writeHead(429, { 'Retry-After': Math.ceil(waitMs / 1_000) }).end();
        else if (request.method === 'POST') response.writeHead(201).end(JSON.stringify({ file_id: '1' }));
        else response.writeHead(204).end();
      });
    });
  }).listen(0, '127.0.0.1');
  // Like the service, keeps the connection of a sender that has to wait.
  server.keepAliveTimeout = 75_000;
  await new Promise((resolve) => server.once('listening', resolve));
  return server;
}
