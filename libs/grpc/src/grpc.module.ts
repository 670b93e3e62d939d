import { Global, Module } from '@nestjs/common';
import { loadConfig } from '#config';
import { GrpcEndpoint } from './grpc-endpoint.ts';
import { GrpcSettings } from './grpc-settings.ts';
import { GrpcGuard } from './grpc.guard.ts';
import { GrpcHealthController } from './health.controller.ts';
import { Peers } from './peers.ts';
import { isLoopback } from './hosts.ts';

/** The guarded edge of gRPC. Import it beside HttpModule where an app answers calls; `GrpcSettings` come from a global module of the process, or are the defaults. */
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

/** What the settings are when nobody sets any. */
export function standardGrpc(): GrpcSettings {
  const { grpc, server } = loadConfig({});
  return new GrpcSettings(grpc, server);
}
