import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a sender still has on its way when it is refused is passed over for this long. A guess: a round trip or two, and a moment to notice. */
const lingerMs = 2_000;

/** A body of so many bytes is passed over to its end, so that its connection can be used again: to make another one costs both ends more. */
const maxPassedOver = 64 * 1024;

/** Requests whose senders wait for "100 Continue" before they send the body. */
const waiting = new WeakSet<IncomingMessage>();

/** Who asks before sending a body (RFC 9110, 10.1.1) is told to go on when somebody begins to read it; a refusal spares the body. */
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

/** Says in the answer to a request that is refused whether its connection ends with it, because a large body, or one of unknown length, is still on its way. */
export function refuseBody(request: IncomingMessage, response: ServerResponse): void {
  const length = request.headers['content-length'];
  if (request.readableEnded || length === '0' || (length ?? request.headers['transfer-encoding']) === undefined) return;
  if (length === undefined || Number(length) > maxPassedOver || waiting.has(request)) response.setHeader('Connection', 'close');
}

/**
 * Ends an answer with `text`. What its request still sends is passed over for a moment. Where the connection ends with the answer, it is closed only then: to
 * close it at once would reset it (RFC 9112, 9.6), and the sender would see a broken connection where there is an answer.
 */
export function answerEarly(response: ServerResponse, text: string): void {
  const request = response.req;
  if (request.complete || request.destroyed || waiting.has(request)) {
    response.end(text); // what was received and not read is passed over by Node
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
