#!/usr/bin/env node
import { loadConfig } from '#config';
import { createLogger } from '#telemetry';
import { whenAborted } from './interruption.ts';
import { run } from './run.ts';
import { startStandalone } from './service.ts';

/** `npm start`: serves until it is asked to stop. */
await run(async (interrupted) => {
  const config = loadConfig(process.env);
  const logger = createLogger({ level: config.telemetry.logLevel, format: config.telemetry.logFormat });
  const service = await startStandalone(config, logger, interrupted);
  const here = service.localUrl === service.url ? '' : `On this machine: ${service.localUrl}\n`;
  process.stdout.write(`Plotline is at ${service.url}\n${here}Sign in (once, within an hour): ${await service.signInLink()}\n`);
  await whenAborted(interrupted);
  logger.info('stopping');
  await service.stop();
  return 0;
});
