/**
 * An HTTP server that reads bodies and discards them: the upper bound for any upload over HTTP from
 * Node to Node.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.on('end', () => response.writeHead(204).end());
  request.resume();
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`sink at ${(server.address() as AddressInfo).port}\n`));
