import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * How long to read and discard data that a rejected sender still sends. A guess: a round trip or
 * two, and a moment to notice.
 */
const lingerMs = 2_000;

/**
 * A body up to this size is read to its end and discarded, so that its connection can be reused. A
 * new connection would cost both ends more.
 */
const maxPassedOver = 64 * 1024;

/** Requests whose clients wait for "100 Continue" before they send the body. */
const waiting = new WeakSet<IncomingMessage>();

/**
 * Sends "100 Continue" (RFC 9110, 10.1.1) only when the body is first read; an error response
 * avoids the body.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  waiting.add(request);
  const onListener = (event: string | symbol): void => {
    if (event !== 'data') return;
    request.off('newListener', onListener);
    waiting.delete(request);
    response.writeContinue();
  };
  request.on('newListener', onListener);
}

/**
 * Decides whether the connection ends with an error response, because a large body or one of
 * unknown length is still being sent.
 */
export function rejectBody(request: IncomingMessage, response: ServerResponse): void {
  const length = request.headers['content-length'];
  if (request.readableEnded || length === '0' || (length ?? request.headers['transfer-encoding']) === undefined) return;
  if (length === undefined || Number(length) > maxPassedOver || waiting.has(request)) response.setHeader('Connection', 'close');
}

/**
 * Ends a response with `text`. For a moment, discards data that the client still sends. If the
 * connection ends with the response, it is closed only after that. Closing it immediately would
 * reset it (RFC 9112, 9.6), and the client would see a broken connection instead of a response.
 */
export function respondEarly(response: ServerResponse, text: string): void {
  const request = response.req;
  if (request.complete || request.destroyed || waiting.has(request)) {
    response.end(text); // Node discards what was received and not read
    return;
  }
  if (response.getHeader('Connection') !== 'close') {
    const timer = setTimeout(() => request.destroy(), lingerMs);
    request.once('close', () => clearTimeout(timer)).resume();
    response.end(text);
    return;
  }
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.write(text);
  const end = (): void => {
    clearTimeout(timer);
    request.off('end', end).off('close', end);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.on('end', end).on('close', end).resume();
}
