import type { Config } from '#config';

/** How gRPC is served by this process; made from the settings, and provided by its global module. */
export class GrpcSettings {
  readonly host: string;
  /** 0: any free one; null: gRPC is off. */
  readonly port: number | null;
  readonly trustedProxies: readonly string[];
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** What clients are told to call; null: where this process listens. */
  readonly publicTarget: string | null;

  constructor(grpc: Config['grpc'], { trustedProxies }: Pick<Config['server'], 'trustedProxies'>) {
    this.host = grpc.host;
    this.port = grpc.port === 'off' ? null : grpc.port;
    this.trustedProxies = trustedProxies;
    this.tls =
      grpc.tlsCertFile === undefined || grpc.tlsKeyFile === undefined ? null : { certFile: grpc.tlsCertFile, keyFile: grpc.tlsKeyFile };
    this.publicTarget = grpc.publicTarget ?? null;
  }
}
