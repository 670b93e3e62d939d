import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Rates in bytes per second; the delay applies to each direction. */
export interface LinkShape {
  /** Of all connections together. */
  readonly rate: number;
  /** Of each connection. */
  readonly connectionRate: number;
  readonly delayMs: number;
}

/** Bytes that are forwarded in one piece. */
const pieceBytes = 16 * 1024;
/** Timers fire late: data that is due within this time is sent immediately. */
const burstMs = 20;

/**
 * A TCP link to a server on this machine that limits each connection to a part of its rate, as seed
 * 002 found between two hosts. Only data from clients is shaped.
 */
export class ShapedLink {
  readonly #server: Server;
  readonly #shape: LinkShape;
  /** When the link will have sent all accepted data, in milliseconds. */
  #freeAt = 0;

  private constructor(target: URL, shape: LinkShape) {
    this.#shape = shape;
    this.#server = createServer((client) => {
      const server = connect(Number(target.port), target.hostname);
      for (const socket of [client, server]) socket.setNoDelay(true).on('error', () => undefined);
      client.on('close', () => server.destroy());
      server.on('close', () => client.destroy());
      void this.#forward(client, server).catch(() => undefined);
      void forwardLate(server, client, shape.delayMs).catch(() => undefined);
    });
  }

  static async open(target: URL, shape: LinkShape): Promise<ShapedLink> {
    const link = new ShapedLink(target, shape);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }

  async #forward(from: Socket, to: Socket): Promise<void> {
    const { rate, connectionRate, delayMs } = this.#shape;
    let ownFreeAt = 0;
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        const piece = chunk.subarray(at, at + pieceBytes);
        const now = performance.now();
        ownFreeAt = Math.max(ownFreeAt, now - burstMs) + (1000 * piece.length) / connectionRate;
        this.#freeAt = Math.max(this.#freeAt, now - burstMs) + (1000 * piece.length) / rate;
        const sentAt = Math.max(ownFreeAt, this.#freeAt);
        if (sentAt - now > 1) await delay(sentAt - now);
        setTimeout(() => to.write(piece), delayMs);
      }
    }
    setTimeout(() => to.end(), delayMs);
  }
}

async function forwardLate(from: Socket, to: Socket, delayMs: number): Promise<void> {
  for await (const chunk of from as AsyncIterable<Buffer>) setTimeout(() => to.write(chunk), delayMs);
  setTimeout(() => to.end(), delayMs);
}
