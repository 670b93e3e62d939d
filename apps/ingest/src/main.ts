#!/usr/bin/env node
import { HealthModule, HttpModule } from '#http';
import { Dispatcher } from '#jobs';
import { dataFolder, objectsOf, openQueue, openStore, roleUrl, run, serve } from '#service';
import { Store } from '#store';
import { ingestBounds } from './ingest-bounds.ts';
import { IngestHealthModule, IngestHealthSettings } from './ingest-health.module.ts';
import { IngestModule, IngestSettings } from './ingest.module.ts';

const sweepEveryMs = 2_000;

/**
 * `npm run start:ingest`: turns acknowledged bytes into points. Several processes can run side by
 * side. The port serves only health checks.
 */
await run((interrupted) =>
  serve('ingest', interrupted, async (start) => {
    const { config } = start;
    const appUrl = roleUrl(config, 'appDatabaseUrl');
    const ingestUrl = roleUrl(config, 'ingestDatabaseUrl');
    const sweeperUrl = roleUrl(config, 'sweeperDatabaseUrl');
    const store = await openStore({ appUrl, ingestUrl, ingestPoolSize: 1, sweeperUrl, appPoolSize: config.ingest.concurrency + 3 }, start);
    const dispatcher = await openQueue(config, start);
    const settings: IngestSettings = {
      thread: { appUrl, ingestUrl, blobs: objectsOf(config, dataFolder(config)), bounds: ingestBounds(config), stepBack: 'no' },
      concurrency: config.ingest.concurrency,
      sweepEveryMs,
      believeLostAfterMs: config.ingest.lostBytesSeconds * 1_000,
      orphanGraceMs: config.ingest.orphanGraceSeconds * 1_000,
      exportKeepMs: config.ingest.exportKeepSeconds * 1_000,
    };
    const health: IngestHealthSettings = {
      maxStallMs: config.ingest.stallSeconds * 1_000,
    };
    return {
      modules: [HttpModule, HealthModule, IngestModule, IngestHealthModule],
      platform: [
        { provide: Store, useValue: store },
        { provide: Dispatcher, useValue: dispatcher },
        { provide: IngestSettings, useValue: settings },
        { provide: IngestHealthSettings, useValue: health },
      ],
    };
  }),
);
