import tls from 'node:tls';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { CliError, exitCodes } from '../exit.ts';
import type { Api } from '../http/api.ts';
import { asObject } from '../http/json.ts';

/** The gRPC endpoint of the service. */
export interface GrpcTarget {
  /** In gRPC syntax: `dns:///host:port`. */
  readonly target: string;
  readonly credentials: ChannelCredentials;
}

/**
 * Asks the service for its gRPC endpoint. Throws if there is none, or if a token could be
 * intercepted in transit.
 */
export async function findGrpcTarget(api: Api): Promise<GrpcTarget> {
  const { origin } = api.http;
  const grpc = (await api.get('/server', "Reading the server's gRPC address"))['grpc'];
  if (grpc === null || grpc === undefined)
    throw new CliError(
      exitCodes.failed,
      `${origin} does not serve gRPC, which TensorBoard needs. Its operator can enable it with PLOTLINE_GRPC_PORT.`,
      {
        code: 'no-grpc',
      },
    );
  const { target, tls: encrypted } = asObject(grpc, 'grpc');
  if (typeof target !== 'string' || target === '')
    throw new CliError(exitCodes.failed, `${origin} does not announce a gRPC address.`, { code: 'no-grpc' });
  if (isOnThisMachine(target) && !isOnThisMachine(new URL(origin).host))
    throw new CliError(
      exitCodes.failed,
      `${origin} serves gRPC only on its own machine. Its operator can change that with PLOTLINE_GRPC_HOST.`,
      {
        code: 'no-grpc',
      },
    );
  if (encrypted !== true) {
    if (origin.startsWith('https:') && !isOnThisMachine(target))
      throw new CliError(exitCodes.failed, `${origin} serves gRPC at ${target} without encryption, so others could read your token.`, {
        code: 'no-tls',
      });
    return { target, credentials: credentials.createInsecure() };
  }
  return { target, credentials: credentials.createSsl(trustedCertificates()) };
}

/** Whether a target or a URL's host always refers to the local machine. */
function isOnThisMachine(place: string): boolean {
  return /^(?:dns:\/{3})?(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d+)?$/.test(place);
}

/** The system's certificates in addition to Node's, as for HTTP. */
function trustedCertificates(): Buffer {
  return Buffer.from(
    [...tls.getCACertificates('default'), ...tls.getCACertificates('system'), ...tls.getCACertificates('extra')].join('\n'),
  );
}
