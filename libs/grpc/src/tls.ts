import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import { GrpcFault } from './grpc-fault.ts';
import type { GrpcSettings } from './grpc-settings.ts';
import { isLoopback } from './hosts.ts';

/**
 * Returns TLS credentials if the TLS files are set. Throws {@link GrpcFault} for plain text over a
 * network, and for unusable files.
 */
export async function credentialsOf({ host, tls, trustedProxies }: GrpcSettings): Promise<ServerCredentials> {
  if (tls === null) {
    if (isLoopback(host) || trustedProxies.length > 0) return ServerCredentials.createInsecure();
    throw new GrpcFault(
      `PLOTLINE_GRPC_HOST is ${host}, which other machines reach, but calls would not be encrypted. Set PLOTLINE_GRPC_TLS_CERT_FILE and PLOTLINE_GRPC_TLS_KEY_FILE, set PLOTLINE_TRUSTED_PROXIES to the reverse proxy that encrypts, or do not set the host.`,
    );
  }
  const [cert_chain, private_key] = await Promise.all([
    read('PLOTLINE_GRPC_TLS_CERT_FILE', tls.certFile),
    read('PLOTLINE_GRPC_TLS_KEY_FILE', tls.keyFile),
  ]);
  try {
    createSecureContext({ cert: cert_chain, key: private_key }); // grpc-js would check them only at the first connection
    return ServerCredentials.createSsl(null, [{ cert_chain, private_key }], false);
  } catch (error) {
    throw new GrpcFault('PLOTLINE_GRPC_TLS_CERT_FILE and PLOTLINE_GRPC_TLS_KEY_FILE are not a certificate and its key.', { cause: error });
  }
}

async function read(setting: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new GrpcFault(`${setting}: the file cannot be read.`, { cause: error });
  }
}
