#!/usr/bin/env node
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createSignInLink, createToken, firstStart } from '#auth';
import { loadConfig } from '#config';
import { PublicUrl } from '#http';
import {
  dataFolder,
  firstNames,
  Lifetime,
  localAddress,
  needs,
  openStore,
  processLogger,
  roleUrl,
  run,
  signInNotice,
  StartFault,
  writeCredentials,
} from '#service';
import { defaultShards, prepareSchema } from './prepare-schema.ts';

/**
 * `npm run migrate`: creates database, roles, tables and the first owner, or migrates them to this
 * version; then prints a sign-in link, at a terminal. Idempotent. The token of the first owner is written to
 * `credentials.json` of the data folder; `--new-token` creates another, if it was lost. On a Citus
 * cluster, `--distribute` distributes the tables over the workers (docs/scale.md).
 */
await run(async () => {
  const { newToken, shards } = readArguments();
  const config = loadConfig(process.env, needs.migrate);
  const logger = processLogger(config);
  const lifetime = new Lifetime();
  try {
    await prepareSchema(config, (line) => logger.info(line), shards);
    const store = await openStore({ appUrl: roleUrl(config, 'appDatabaseUrl'), appPoolSize: 1 }, { lifetime, logger });
    const { owner, token } = await firstStart(store, firstNames);
    const fresh = token ?? (newToken ? await createToken(store, { ...owner, name: firstNames.tokenName }) : null);
    const server = config.server.publicUrl ?? localAddress(config.server.host, config.server.port);
    if (fresh !== null) {
      const folder = dataFolder(config);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeCredentials(folder, { server, token: fresh });
      process.stdout.write(`The owner's token is in credentials.json of ${folder}\n`);
    }
    const notice = await signInNotice(config.signIn.printLink, process.stdout, {
      create: async () => new PublicUrl(server).at(`/sign-in/${await createSignInLink(store, owner)}`),
      otherwise: 'run this again at a terminal, or run "plotline login-link" with the owner\'s token.',
    });
    process.stdout.write(`${notice}\n`);
  } finally {
    await lifetime.stop();
  }
  return 0;
});

/** The options; any other argument is an error, and nothing is done. `shards`: null without `--distribute`. */
function readArguments(): { newToken: boolean; shards: number | null } {
  try {
    const { values } = parseArgs({
      options: {
        'new-token': { type: 'boolean', default: false },
        distribute: { type: 'boolean', default: false },
        shards: { type: 'string' },
      },
    });
    const shards = Number(values.shards ?? defaultShards);
    if (!Number.isInteger(shards) || shards < 1 || shards > 4096) throw new Error('--shards is a number from 1 to 4096.');
    return { newToken: values['new-token'], shards: values.distribute ? shards : null };
  } catch (error) {
    throw new StartFault(`${(error as Error).message}\nUsage: npm run migrate [-- --new-token] [--distribute [--shards N]]`, {
      cause: error,
    });
  }
}
