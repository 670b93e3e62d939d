#!/usr/bin/env node
import { openBlobStore } from '#blobs';
import { loadConfig } from '#config';
import { PublicUrl } from '#http';
import { localAddress, run } from '#service';
import { objectsToCheck } from './objects-to-check.ts';
import { openOperator } from './open-operator.ts';
import { runAdmin } from './program.ts';

/** `npm run admin -- COMMAND`: workspaces, quotas, suspension and checks, for the operator. */
await run(() =>
  runAdmin(process.argv.slice(2), {
    open: () => openOperator(loadConfig(process.env)),
    openBlobs: () => openBlobStore(objectsToCheck(loadConfig(process.env)), (line) => void process.stderr.write(`${line}\n`)),
    urlOf: (path) => {
      const { publicUrl, host, port } = loadConfig(process.env).server;
      return new PublicUrl(publicUrl ?? localAddress(host, port)).at(path);
    },
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  }),
);
