import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { countShareRejection } from '#telemetry';

/** A client's minimum reading speed, for any response. */
export interface ReadingPace {
  /** Bytes per second, averaged over `graceMs`. */
  readonly bytesPerSecond: number;
  /** How long a connection that is too slow is kept. */
  readonly graceMs: number;
}

/** Even a client on a poor mobile line is several times faster. */
export const readingPace: ReadingPace = { bytesPerSecond: 4 * 1024, graceMs: 20_000 };

interface Mark {
  readonly delivered: number;
  readonly at: number;
}

/**
 * Cuts connections whose clients do not read their responses: each such connection occupies memory
 * and often the share of a response. A connection is checked only while data waits to be sent, so
 * idle streams and long computations are not affected.
 */
export function cutSlowReaders(server: Server, { bytesPerSecond, graceMs }: ReadingPace = readingPace): void {
  const marks = new Map<Socket, Mark | null>();
  server.on('connection', (socket) => {
    marks.set(socket, null);
    socket.once('close', () => marks.delete(socket));
  });
  const look = (): void => {
    const now = performance.now();
    for (const [socket, mark] of marks) {
      if (socket.writableLength === 0) {
        marks.set(socket, null);
        continue;
      }
      const delivered = socket.bytesWritten - socket.writableLength;
      if (mark === null) marks.set(socket, { delivered, at: now });
      else if (now - mark.at >= graceMs) {
        if (delivered - mark.delivered >= (bytesPerSecond * (now - mark.at)) / 1_000) marks.set(socket, { delivered, at: now });
        else {
          countShareRejection('slow-readers', 'connections');
          socket.destroy();
        }
      }
    }
  };
  const timer = setInterval(look, graceMs / 4).unref();
  server.once('close', () => clearInterval(timer));
}
