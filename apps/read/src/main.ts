#!/usr/bin/env node
import { BlobStore } from '#blobs';
import { secretOf } from '#config';
import { openObjects, openSigning, openStore, roleUrl, run, serve } from '#service';
import { Store } from '#store';
import { ReadModule } from './read.module.ts';
import { SignInSettings } from './sign-in/sign-in-settings.ts';

/** `npm run start:read`: serves ingested data; several instances can run side by side. */
await run((interrupted) =>
  serve('read', interrupted, async (start) => {
    const { config } = start;
    const signIn = new SignInSettings(config.signIn, { clientSecret: secretOf(config, 'PLOTLINE_OIDC_CLIENT_SECRET') });
    const store = await openStore({ appUrl: roleUrl(config, 'appDatabaseUrl'), appPoolSize: 12 }, start);
    const blobs = await openObjects(config, start, { readOnly: true });
    return {
      modules: [ReadModule],
      platform: [
        { provide: Store, useValue: store },
        { provide: BlobStore, useValue: blobs },
        { provide: SignInSettings, useValue: signIn },
        ...(await openSigning(store, start)),
      ],
    };
  }),
);
