import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Maximum time and bytes for reading and discarding data that the client still sends. A guess: the
 * longest address that a faulty client builds, over a slow line.
 */
const linger = { ms: 2_000, bytes: 1024 * 1024 };

/** Statuses by the error codes of Node's parser; all other errors are 400. */
const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Responds to requests that Node cannot parse, e.g. because their headers are too large, with a
 * status and no body, and closes their connections. Node itself closes immediately, so a client
 * that is still sending sees a reset instead of the status (RFC 9112, 9.6).
 */
export function respondUnparsed(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || hasBegunResponse(socket)) {
      socket.destroy(error);
      return;
    }
    let left = linger.bytes;
    const timer = setTimeout(() => socket.destroy(), linger.ms);
    socket
      .removeAllListeners('data') // the parser would fail again
      .on('data', (bytes: Buffer) => {
        left -= bytes.length;
        if (left < 0) socket.destroy();
      })
      .once('end', () => socket.destroy())
      .once('close', () => clearTimeout(timer));
    socket.end(`HTTP/1.1 ${statuses[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
  });
}

/**
 * Whether the response to a previous request on the connection is being sent. If so, nothing may be
 * written.
 */
function hasBegunResponse(socket: Duplex): boolean {
  const { _httpMessage: response } = socket as { _httpMessage?: { headersSent: boolean } | null };
  return response?.headersSent === true;
}
