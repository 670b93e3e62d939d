#!/usr/bin/env node
import { loadConfig } from '#config';
import { FolderInUse } from '#embedded-postgres';
import { processLogger, run, whenAborted } from '#service';
import { startStandalone } from './service.ts';

/** `npm start`: serves until it is asked to stop. */
await run(
  async (interrupted) => {
    const config = loadConfig(process.env);
    const logger = processLogger(config);
    const service = await startStandalone(config, logger, interrupted);
    const here = service.localUrl === service.url ? '' : `On this machine: ${service.localUrl}\n`;
    process.stdout.write(`Plotline is at ${service.url}\n${here}Sign in (once, within an hour): ${await service.signInLink()}\n`);
    await whenAborted(interrupted);
    logger.info('stopping');
    await service.stop();
    return 0;
  },
  [FolderInUse],
);
