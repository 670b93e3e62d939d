#!/usr/bin/env node
import { BlobStore } from '#blobs';
import { Health } from '#http';
import { Dispatcher } from '#jobs';
import { openObjects, openQueue, openStore, roleUrl, run, serve, UploadHealth } from '#service';
import { Store } from '#store';
import { UploadModule } from './upload.module.ts';

/** `npm run start:upload`: the upload process. Several processes can run side by side. */
await run((interrupted) =>
  serve('upload', interrupted, async (start) => {
    const { config } = start;
    const urls = { appUrl: roleUrl(config, 'appDatabaseUrl'), sweeperUrl: roleUrl(config, 'sweeperDatabaseUrl') };
    const store = await openStore({ ...urls, appPoolSize: 12 }, start);
    const blobs = await openObjects(config, start);
    const dispatcher = await openQueue(config, start);
    return {
      modules: [UploadModule],
      platform: [
        { provide: Store, useValue: store },
        { provide: BlobStore, useValue: blobs },
        { provide: Dispatcher, useValue: dispatcher },
        { provide: Health, useValue: new UploadHealth(() => store.assertCommits(), blobs) },
      ],
    };
  }),
);
