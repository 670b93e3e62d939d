import type { Config } from '#config';
import { GrpcFault } from './grpc-fault.ts';

/** How this process serves gRPC; created from the settings, and provided by its global module. */
export class GrpcSettings {
  readonly host: string;
  /** 0 means any free port; null means that gRPC is off. */
  readonly port: number | null;
  readonly trustedProxies: readonly string[];
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** The target announced to clients; null for the address where this process listens. */
  readonly publicTarget: string | null;

  /** Throws {@link GrpcFault} if only one of the two TLS files is set. */
  constructor(grpc: Config['grpc'], { trustedProxies }: Pick<Config['server'], 'trustedProxies'>) {
    this.host = grpc.host;
    this.port = grpc.port === 'off' ? null : grpc.port;
    this.trustedProxies = trustedProxies;
    this.tls = tlsOf(grpc);
    this.publicTarget = grpc.publicTarget ?? null;
  }
}

/**
 * If the operator has configured a certificate, serving without TLS would send secrets in plain
 * text.
 */
function tlsOf({ tlsCertFile: certFile, tlsKeyFile: keyFile }: Config['grpc']): GrpcSettings['tls'] {
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new GrpcFault('PLOTLINE_GRPC_TLS_CERT_FILE and PLOTLINE_GRPC_TLS_KEY_FILE belong together: set both or neither.');
  return certFile === undefined || keyFile === undefined ? null : { certFile, keyFile };
}
