import type { IncomingMessage } from 'node:http';
import { Problem } from '#model';
import type { BodyShare } from './body-budget.ts';

/** Bounds of one body as sent. */
export interface BodyBounds {
  readonly maxBytes: number;
  readonly idleTimeoutMs: number;
}

/**
 * Reads the whole body of a request, in the pieces in which it came; `onPiece` gets each as it comes. Throws `body-too-large`, `body-timeout` when nothing comes for too long,
 * `body-incomplete` when the connection ends first. Nothing is locked meanwhile; memory is taken as bytes arrive, never by the announced length.
 */
export function receiveBody(
  request: IncomingMessage,
  share: BodyShare,
  bounds: BodyBounds,
  onPiece: (piece: Buffer) => void,
): Promise<Buffer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>();
  const pieces: Buffer[] = [];
  let bytes = 0;
  const idle = setTimeout(() => {
    fail(new Problem('body-timeout', `No byte of the body arrived for ${bounds.idleTimeoutMs / 1_000} s; send the range again.`));
  }, bounds.idleTimeoutMs);

  function onData(piece: Buffer): void {
    bytes += piece.length;
    if (bytes > bounds.maxBytes) return fail(bodyTooLarge(bounds.maxBytes));
    pieces.push(piece);
    onPiece(piece);
    idle.refresh();
    const room = share.take(piece.length);
    if (!room) return;
    // Held back by us, not by the sender: that is no reason to time out.
    clearTimeout(idle);
    request.pause();
    void room.then(() => {
      if (stopped) return;
      idle.refresh();
      request.resume();
    });
  }
  function onEnd(): void {
    stop();
    resolve(pieces);
  }
  function onClose(): void {
    fail(new Problem('body-incomplete', 'The connection ended before the body did; send the range again.'));
  }
  let stopped = false;
  function stop(): void {
    stopped = true;
    clearTimeout(idle);
    request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    request.on('error', () => undefined); // what a sender does with a connection that we gave up is its own business
  }
  function fail(problem: Problem): void {
    stop();
    reject(problem);
  }

  if (request.destroyed && !request.readableEnded) onClose();
  else request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  return promise;
}

/** The refusal of a body with more than `maxBytes` bytes. */
export function bodyTooLarge(maxBytes: number): Problem {
  return new Problem('body-too-large', `A range may have at most ${maxBytes} bytes; send it in smaller ones.`, {
    extra: { max_bytes: maxBytes },
  });
}
