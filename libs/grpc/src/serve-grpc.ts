import { NestMicroservice } from '@nestjs/microservices';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Action } from '#experiments';
import { Credentials, RejectionLog, WorkspaceGate } from '#http';
import { checkCalls, type LiveCall, liveCalls } from './calls.ts';
import { earlyCheck } from './early-check.ts';
import { GrpcEndpoint } from './grpc-endpoint.ts';
import { GrpcFault } from './grpc-fault.ts';
import { GrpcServer } from './grpc-server.ts';
import type { GrpcSettings } from './grpc-settings.ts';
import { GrpcGuard } from './grpc.guard.ts';
import { PassOn } from './pass-on.ts';
import { hostOf, isLoopback } from './hosts.ts';
import { Peers } from './peers.ts';
import { credentialsOf } from './tls.ts';

/**
 * Serves an application's gRPC methods beside its HTTP routes, until the application is closed, and
 * publishes the address. The guard of #grpc runs before each method; the application does not start
 * if a handler declares no policy. Throws {@link GrpcFault} if it may not or cannot listen.
 */
export async function serveGrpc(app: NestExpressApplication, settings: GrpcSettings): Promise<{ port: number } | null> {
  const live = liveCalls(app);
  checkCalls(live);
  const { host, port } = settings;
  if (port === null || live.length === 0) return null;
  const server = new GrpcServer({
    host,
    port,
    credentials: await credentialsOf(settings),
    rejections: app.get(RejectionLog, { strict: false }),
    peers: app.get(Peers),
    check: earlyCheck({
      credentials: app.get(Credentials, { strict: false }),
      gate: app.get(WorkspaceGate, { strict: false }),
      peers: app.get(Peers),
      actions: actionsOf(live),
    }),
  });
  // HTTP guards, filters and interceptors expect HTTP requests, so gRPC has its own guard.
  const calls = app.connectMicroservice({ strategy: server }, { inheritAppConfig: false, deferInitialization: true });
  calls.useGlobalGuards(app.get(GrpcGuard));
  calls.useGlobalFilters(new PassOn());
  if (calls instanceof NestMicroservice) calls.setIsInitHookCalled(true); // those of the application itself were called when it was created
  try {
    await calls.listen();
  } catch (error) {
    throw new GrpcFault(
      `gRPC cannot be served on port ${port} of ${host}: ${error instanceof Error ? error.message : String(error)}. Choose another host or port with PLOTLINE_GRPC_HOST and PLOTLINE_GRPC_PORT.`,
      { cause: error },
    );
  }
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const name = settings.tls !== null && isLoopback(reached) ? 'localhost' : reached; // certificates do not name loopback addresses
  const own = `dns:///${name.includes(':') ? `[${name}]` : name}:${server.port}`;
  // A public target on another machine is a proxy that encrypts.
  const encrypted = settings.tls !== null || (settings.publicTarget !== null && !isLoopback(hostOf(settings.publicTarget)));
  app.get(GrpcEndpoint).fill(settings.publicTarget ?? own, encrypted);
  return { port: server.port };
}

function actionsOf(calls: readonly LiveCall[]): Map<string, Action> {
  return new Map(calls.flatMap(({ path, action }) => (action === null ? [] : [[path, action]])));
}
