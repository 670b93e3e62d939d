import type { IncomingMessage } from 'node:http';
import { Problem } from '#model';
import type { BodyShare } from './body-budget.ts';

/** Limits for one body as sent. */
export interface BodyBounds {
  readonly maxBytes: number;
  /** Maximum time without receiving a byte. */
  readonly idleTimeoutMs: number;
  /** Maximum total time. */
  readonly timeoutMs: number;
}

/** The size recommended to a slow sender is the amount that it sends in this time. */
const goodRangeSeconds = 10;
const minGoodRange = 4 * 1024;

/**
 * Reads the whole body of a request, in the pieces in which it arrives, and calls `onPiece` for
 * each piece. Throws `body-too-large`, or `body-incomplete` if the connection ends first. Throws
 * `body-timeout` if nothing arrives for too long, if the body takes too long, or if the body is
 * slow and other bodies need the memory. Holds no lock while it waits. Reserves memory as bytes
 * arrive, never by the announced length.
 *
 * A cut body is discarded: its digest covers the whole body, and unverified bytes must not be
 * acknowledged. Ranges that were acknowledged earlier are kept, and a slow sender gets a
 * recommended size.
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
  const startedAt = performance.now();
  let heldBackMs = 0;
  const idle = setTimeout(() => {
    fail(bodyTimeout(`No byte of the body arrived for ${bounds.idleTimeoutMs / 1_000} s`));
  }, bounds.idleTimeoutMs);
  let deadline = setTimeout(onDeadline, bounds.timeoutMs);
  share.receiving(() => fail(bodyTimeout('The body arrived slowly while other bodies waited for its memory')));

  function onData(piece: Buffer): void {
    bytes += piece.length;
    if (bytes > bounds.maxBytes) return fail(bodyTooLarge(bounds.maxBytes));
    pieces.push(piece);
    onPiece(piece);
    idle.refresh();
    const reserved = share.take(piece.length);
    if (!reserved) return;
    // We are holding the sender back, which must not cause a timeout.
    clearTimeout(idle);
    request.pause();
    const since = performance.now();
    void reserved.then(() => {
      if (stopped) return;
      heldBackMs += performance.now() - since;
      idle.refresh();
      request.resume();
    });
  }
  function onDeadline(): void {
    const left = startedAt + heldBackMs + bounds.timeoutMs - performance.now();
    if (left > 1) deadline = setTimeout(onDeadline, left);
    else fail(bodyTimeout(`The body took longer than ${bounds.timeoutMs / 1_000} s`));
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
    clearTimeout(deadline);
    share.receiving(null);
    request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    request.on('error', () => undefined); // errors of an abandoned connection are irrelevant
  }
  function fail(problem: Problem): void {
    if (stopped) return;
    stop();
    reject(problem);
  }
  function bodyTimeout(reason: string): Problem {
    const seconds = Math.max(performance.now() - startedAt - heldBackMs, 1) / 1_000;
    const good = Math.max(minGoodRange, Math.floor((bytes / seconds) * goodRangeSeconds));
    return new Problem(
      'body-timeout',
      `${reason}, so the upload was cut off. Acknowledged bytes are kept; continue from there with smaller ranges.`,
      {
        extra: { received_bytes: bytes, good_range_bytes: Math.min(good, bounds.maxBytes) },
      },
    );
  }

  if (request.destroyed && !request.readableEnded) onClose();
  else request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  return promise;
}

/** The error for a body with more than `maxBytes` bytes. */
export function bodyTooLarge(maxBytes: number): Problem {
  return new Problem('body-too-large', `A range is limited to ${maxBytes} bytes; split it into smaller ranges.`, {
    extra: { max_bytes: maxBytes },
  });
}
