import { Authenticator, createToken, firstStart, type Owner } from '#auth';
import type { Store } from '#store';
import { readCredentials } from './credentials.ts';

/** The names of an installation's first person, workspace and token. */
export const firstNames = { personName: 'Owner', workspaceName: 'My workspace', tokenName: 'local command line' };

/**
 * Returns the owner of the workspace and the token of the local CLI. This is the token in
 * `credentials.json` if it is valid, otherwise a new token: at the first start, after the file was
 * lost, or if the data folder was given another database.
 */
export async function prepareOwner(store: Store, dataDir: string): Promise<{ owner: Owner; token: string }> {
  const { owner, token } = await firstStart(store, firstNames);
  if (token !== null) return { owner, token };
  const known = await readCredentials(dataDir);
  const caller = known && (await new Authenticator(store).byToken(known.token));
  if (known && caller?.tenantId === owner.tenantId) return { owner, token: known.token };
  return { owner, token: await createToken(store, { ...owner, name: firstNames.tokenName }) };
}
