import type { Server, ServerResponse } from 'node:http';

const underWay = new WeakMap<Server, Set<ServerResponse>>();

/** Tracks pending responses for {@link announceClose}. */
export function watchAnswers(server: Server): void {
  const answers = new Set<ServerResponse>();
  underWay.set(server, answers);
  server.on('request', (_request, response) => {
    answers.add(response);
    if (!server.listening) sayClose(response);
    response.once('close', () => {
      answers.delete(response);
      // Node's close() ends connections that are idle at that moment; those that become idle later
      // would delay it.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });
}

/**
 * Adds `Connection: close` to every further response, so that no client sends another request on
 * its connection.
 */
export function announceClose(server: Server): void {
  for (const response of underWay.get(server) ?? []) sayClose(response);
}

function sayClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
