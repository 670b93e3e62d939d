#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { loadConfig } from '#config';
import { FolderInUse } from '#embedded-postgres';
import { processLogger, rejectArguments, run, signInNotice, whenAborted } from '#service';
import { startTracing } from '#telemetry';
import { startStandalone } from './service.ts';

// Collects the young generation on its own thread. Helper threads need free processors, and during
// uploads all of them are busy, so charts waited for the slowest of four helpers (p99 of a chart
// under ingest: 73 ms with helpers, 60 ms without, in alternating runs).
setFlagsFromString('--no-parallel-scavenge');

/** `npm start`: serves until the process receives a stop signal. */
await run(
  async (interrupted) => {
    rejectArguments('start');
    const config = loadConfig(process.env);
    const logger = processLogger(config);
    const tracing = await startTracing(process.env, 'plotline', logger); // before the store opens
    const service = await startStandalone(config, logger, interrupted);
    const here = service.localUrl === service.url ? '' : `On this machine: ${service.localUrl}\n`;
    const notice = await signInNotice(config.signIn.printLink, process.stdout, {
      create: () => service.signInLink(),
      otherwise: `run "plotline login-link" with PLOTLINE_DATA_DIR=${service.dataDir}.`,
    });
    process.stdout.write(`Plotline is at ${service.url}\n${here}${notice}\n`);
    await whenAborted(interrupted);
    logger.info('stopping');
    await service.stop();
    await tracing?.close();
    return 0;
  },
  [FolderInUse],
);
