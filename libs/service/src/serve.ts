import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamicModule, Module, type Type, type ValueProvider } from '@nestjs/common';
import { type Config, loadConfig } from '#config';
import { GrpcSettings, serveGrpc } from '#grpc';
import { ClientAddressSettings, createHttpApp, currentRequestId, HealthController, PublicUrl, UploadLimits } from '#http';
import { QuotaDefaults, RequestRates } from '#workspaces';
import { armFailpoints, createLogger, type Logger, startTracing } from '#telemetry';
import { chooseAddress, listenFault } from './address.ts';
import { closeApp } from './close-app.ts';
import { extendStop, whenAborted } from './interruption.ts';
import { Lifetime } from './lifetime.ts';
import { serveMetrics } from './metrics-server.ts';
import { nestLogger } from './nest-logger.ts';
import { openRates } from './open-rates.ts';
import { needs } from './needs.ts';
import type { Waiting } from './open-store.ts';
import { PlatformModule } from './platform.module.ts';
import { rejectArguments } from './reject-arguments.ts';

/**
 * Context for creating the parts of a process. Each started part is added to its `lifetime`, and
 * stopped in reverse order.
 */
export interface ProcessStart extends Waiting {
  readonly config: Config;
}

/** The servers of a process. */
export interface ProcessParts {
  readonly modules: readonly (Type | DynamicModule)[];
  /**
   * Dependencies that modules get without importing them. `PublicUrl`, `UploadLimits`,
   * `QuotaDefaults`, `RequestRates` and `ClientAddressSettings` are added.
   */
  readonly platform: readonly ValueProvider[];
}

/**
 * Logs to stderr; a request's lines have its id. Also arms the failpoints that a test configures.
 */
export function processLogger(config: Config): Logger {
  armFailpoints(config.telemetry.failpoints);
  return createLogger({
    level: config.telemetry.logLevel,
    format: config.telemetry.logFormat,
    context: () => {
      const id = currentRequestId();
      return id === undefined ? {} : { request_id: id };
    },
  });
}

/**
 * One process of the service, for `run`: reads the settings, creates the parts, serves until
 * `interrupted` is aborted, and stops. A grace period, in which only readiness fails, comes first.
 * `name` appears in its log. Throws the error that prevents the start, after stopping the started
 * parts.
 */
export async function serve(
  name: 'upload' | 'ingest' | 'read',
  interrupted: AbortSignal,
  make: (start: ProcessStart) => Promise<ProcessParts>,
): Promise<number> {
  rejectArguments(`start:${name}`);
  const config = loadConfig(process.env, needs[name]);
  const logger = processLogger(config).child({ process: name });
  const address = await chooseAddress(config.server);
  const lifetime = new Lifetime();
  try {
    const tracing = await startTracing(process.env, `plotline-${name}`, logger); // before the store opens
    if (tracing) lifetime.onStop(() => tracing.close());
    await serveMetrics(config, logger, lifetime);
    const { modules, platform } = await make({ config, logger, lifetime, interrupted });
    interrupted.throwIfAborted();
    const publicUrl = { provide: PublicUrl, useValue: new PublicUrl(address.publicUrl) };
    const quotas = { provide: QuotaDefaults, useValue: new QuotaDefaults(config.quota, config.upload) };
    const rates = { provide: RequestRates, useValue: openRates(config, { lifetime, logger }) };
    const uploadLimits = { provide: UploadLimits, useValue: new UploadLimits(config.upload) };
    const addresses = { provide: ClientAddressSettings, useValue: new ClientAddressSettings(config.server) };
    const grpc = new GrpcSettings(config.grpc, config.server);
    const app = await createHttpApp(
      {
        module: ProcessModule,
        imports: [
          PlatformModule.of(publicUrl, quotas, rates, uploadLimits, addresses, { provide: GrpcSettings, useValue: grpc }, ...platform),
          ...modules,
        ],
      },
      { logger: nestLogger(logger) },
    );
    lifetime.onStop(() => closeApp(app));
    await app.listen(address.port, address.host).catch((error: unknown) => {
      throw listenFault(error, address);
    });
    await serveGrpc(app, grpc);
    process.stdout.write(`Plotline ${name} is at ${address.localUrl}\n`);
    const graceMs = config.server.stopGraceSeconds * 1_000;
    extendStop(graceMs);
    await whenAborted(interrupted);
    if (graceMs > 0) {
      logger.info('no longer ready; serving until proxies have noticed', { seconds: config.server.stopGraceSeconds });
      app.get(HealthController, { strict: false }).beginStop();
      await sleep(graceMs);
    }
    logger.info('stopping');
  } finally {
    await lifetime.stop();
  }
  return 0;
}

@Module({})
class ProcessModule {}
