import type { Server, ServerResponse } from 'node:http';

const underWay = new WeakMap<Server, Set<ServerResponse>>();

/** Lets {@link announceClose} know what is being answered. */
export function watchAnswers(server: Server): void {
  const answers = new Set<ServerResponse>();
  underWay.set(server, answers);
  server.on('request', (_request, response) => {
    answers.add(response);
    if (!server.listening) sayClose(response);
    response.once('close', () => {
      answers.delete(response);
      // Node's close() ends connections that are idle then; those that become idle later would keep it waiting.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });
}

/** Says with every answer that is still to come that its connection ends with it, so that nobody sends another request into it. */
export function announceClose(server: Server): void {
  for (const response of underWay.get(server) ?? []) sayClose(response);
}

function sayClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
