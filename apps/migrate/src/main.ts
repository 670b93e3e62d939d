#!/usr/bin/env node
import { access, constants, mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { adoptOwnerToken, createSignInLink, findOwner, firstStart, looksLikeToken, newToken, OwnerTokenFault, replaceToken } from '#auth';
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
 * `npm run migrate`: creates the database, the roles, the tables and the first owner, or migrates
 * them to this version. Then prints a sign-in link if it runs in a terminal. Idempotent. The first
 * owner's token is the one in PLOTLINE_OWNER_TOKEN, or else a new one in `credentials.json` in the
 * data folder. If that token is lost, `--new-token` replaces it. On a Citus cluster, `--distribute`
 * distributes the tables over the workers (docs/scale.md). `--generate-token` only prints a token
 * for PLOTLINE_OWNER_TOKEN.
 */
await run(async () => {
  const { newToken: wantsToken, generateToken, shards } = readArguments();
  if (generateToken) {
    process.stdout.write(`${newToken()}\n`);
    return 0;
  }
  const config = loadConfig(process.env, needs.migrate);
  const { ownerToken } = config.signIn;
  if (ownerToken !== undefined && !looksLikeToken(ownerToken))
    throw new StartFault('PLOTLINE_OWNER_TOKEN has a wrong checksum: it is incomplete or mistyped.');
  if (ownerToken !== undefined && wantsToken)
    throw new StartFault('The token comes from PLOTLINE_OWNER_TOKEN. Change it there instead of using --new-token.');
  const logger = processLogger(config);
  const lifetime = new Lifetime();
  try {
    await prepareSchema(config, (line) => logger.info(line), shards);
    const store = await openStore({ appUrl: roleUrl(config, 'appDatabaseUrl'), appPoolSize: 1 }, { lifetime, logger });
    const folder = dataFolder(config);
    // Checked before the token is created, because otherwise nobody could read it.
    if (ownerToken === undefined && (wantsToken || (await findOwner(store)) === null)) await requireWritable(folder);
    const { owner, token } = await firstStart(store, { ...firstNames, givenToken: ownerToken });
    if (ownerToken !== undefined) await adoptOwnerToken(store, owner, ownerToken);
    const fresh = token ?? (wantsToken ? await replaceToken(store, owner, { name: firstNames.tokenName }) : null);
    const server = config.server.publicUrl ?? localAddress(config.server.host, config.server.port);
    if (fresh !== null) {
      await writeCredentials(folder, { server, token: fresh });
      process.stdout.write(`The owner's token is in credentials.json in ${folder}\n`);
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
}, [OwnerTokenFault]);

/** Throws {@link StartFault} if `credentials.json` cannot be written. */
async function requireWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new StartFault(
      `The owner's token cannot be written to ${folder}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}. Set PLOTLINE_DATA_DIR to a writable folder, or PLOTLINE_OWNER_TOKEN to a token from "npm run migrate -- --generate-token".`,
      { cause: error },
    );
  }
}

/**
 * Parses the options. Any other argument is an error, and nothing is done. `shards`: null without
 * `--distribute`.
 */
function readArguments(): { newToken: boolean; generateToken: boolean; shards: number | null } {
  try {
    const { values } = parseArgs({
      options: {
        'new-token': { type: 'boolean', default: false },
        'generate-token': { type: 'boolean', default: false },
        distribute: { type: 'boolean', default: false },
        shards: { type: 'string' },
      },
    });
    const shards = Number(values.shards ?? defaultShards);
    if (!Number.isInteger(shards) || shards < 1 || shards > 4096) throw new Error('--shards is a number from 1 to 4096.');
    return { newToken: values['new-token'], generateToken: values['generate-token'], shards: values.distribute ? shards : null };
  } catch (error) {
    throw new StartFault(
      `${(error as Error).message}\nUsage: npm run migrate [-- --new-token | --generate-token] [--distribute [--shards N]]`,
      { cause: error },
    );
  }
}
