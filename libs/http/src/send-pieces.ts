import type { ServerResponse } from 'node:http';

/** A response up to this size is written in one piece. */
const maxAtOnce = 256 * 1024;
/**
 * Larger responses are written in pieces of at most this size, each after the previous piece has
 * been consumed, so that unread data is not copied into the connection.
 */
const pieceBytes = 64 * 1024;

/**
 * Ends a response with these bytes, at its reader's speed. Resolves when the last piece has been
 * passed to the connection, or the connection has ended.
 */
export async function sendPieces(response: ServerResponse, pieces: readonly Uint8Array[]): Promise<void> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.setHeader('Content-Length', length);
  if (response.req.method === 'HEAD' || length <= maxAtOnce) {
    response.end(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
    return;
  }
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += pieceBytes) {
      if (!response.write(piece.subarray(at, at + pieceBytes))) await drained(response);
      if (response.destroyed) return;
    }
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
