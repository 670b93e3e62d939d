import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a sender still has on its way when it is refused is passed over for this long. A guess: a round trip or two, and a moment to notice. */
const lingerMs = 2_000;

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

/**
 * Ends an answer with `text`. When its request is still being sent, the connection is closed a moment later, and what arrives until then is passed over: to
 * close it at once would reset it (RFC 9112, 9.6), and the sender would see a broken connection where there is an answer.
 */
export function answerEarly(response: ServerResponse, text: string): void {
  const request = response.req;
  if (request.readableEnded || request.destroyed || waiting.has(request) || response.getHeader('Connection') !== 'close') {
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
