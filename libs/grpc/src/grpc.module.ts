import { Global, Module } from '@nestjs/common';
import { loadConfig } from '#config';
import { GrpcEndpoint } from './grpc-endpoint.ts';
import { GrpcSettings } from './grpc-settings.ts';
import { GrpcGuard } from './grpc.guard.ts';
import { GrpcHealthController } from './health.controller.ts';
import { Peers } from './peers.ts';
import { isLoopback } from './hosts.ts';

/**
 * Shared parts of all gRPC services: guard and problems. Import it beside HttpModule in an app with
 * gRPC handlers. A global module of the process can provide `GrpcSettings`; otherwise, the defaults
 * apply.
 */
@Global()
@Module({
  controllers: [GrpcHealthController],
  providers: [
    GrpcEndpoint,
    GrpcGuard,
    {
      provide: Peers,
      useFactory: (settings?: GrpcSettings) => {
        const { host, tls, trustedProxies } = settings ?? standardGrpc();
        return new Peers(trustedProxies, tls === null && !isLoopback(host));
      },
      inject: [{ token: GrpcSettings, optional: true }],
    },
  ],
  exports: [GrpcEndpoint, GrpcGuard],
})
export class GrpcModule {}

/** The default settings. */
export function standardGrpc(): GrpcSettings {
  const { grpc, server } = loadConfig({});
  return new GrpcSettings(grpc, server);
}
