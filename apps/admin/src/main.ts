#!/usr/bin/env node
import { loadConfig } from '#config';
import { run } from '#service';
import { openOperator } from './open-operator.ts';
import { runAdmin } from './program.ts';

/** `npm run admin -- COMMAND`: quotas and suspension, for the operator. */
await run(() =>
  runAdmin(process.argv.slice(2), {
    open: () => openOperator(loadConfig(process.env)),
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  }),
);
