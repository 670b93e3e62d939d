#!/usr/bin/env node
import { ConfigFault, loadConfig } from '#config';
import { FolderInUse } from '#embedded-postgres';
import { createLogger } from '#telemetry';
import { startStandalone } from './service.ts';

/** Exit codes are those of the command line: 1 failed, 2 wrong usage. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger({ level: config.telemetry.logLevel, format: config.telemetry.logFormat });
  const starting = startStandalone(config, logger);
  const stop = (signal: NodeJS.Signals): void => {
    logger.info('stopping', { signal });
    // A signal during the start takes effect as soon as there is something that can be stopped in order.
    starting
      .then((started) => started.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error('did not stop cleanly', { err: error });
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const service = await starting;
  process.stdout.write(`Plotline is at ${service.url}\nSign in (once, within an hour): ${await service.signInLink()}\n`);
}

main().catch((error: unknown) => {
  const expected = error instanceof ConfigFault || error instanceof FolderInUse;
  process.stderr.write(`${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(error instanceof ConfigFault ? 2 : 1);
});
