import type { Server, ServerResponse } from 'node:http';

const underWay = new WeakMap<Server, Set<ServerResponse>>();

/** Tracks pending responses for {@link announceClose}. */
export function watchResponses(server: Server): void {
  const responses = new Set<ServerResponse>();
  underWay.set(server, responses);
  server.on('request', (_request, response) => {
    responses.add(response);
    if (!server.listening) sayClose(response);
    response.once('close', () => {
      responses.delete(response);
      // Node's close() ends connections that are idle at that moment; connections that become idle
      // later would delay it.
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
