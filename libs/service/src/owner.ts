import { Authenticator, createToken, firstStart, type Owner } from '#auth';
import type { Store } from '#store';
import { readCredentials } from './credentials.ts';

/** How the first person, workspace and token of an installation are called. */
export const firstNames = { personName: 'Owner', workspaceName: 'My workspace', tokenName: 'local command line' };

/**
 * The owner of the workspace, and the token of the command line on this machine: the one of `credentials.json` while it holds, else a new one
 * (the first start, a lost file, a data folder that was given another database).
 */
export async function prepareOwner(store: Store, dataDir: string): Promise<{ owner: Owner; token: string }> {
  const { owner, token } = await firstStart(store, firstNames);
  if (token !== null) return { owner, token };
  const known = await readCredentials(dataDir);
  const caller = known && (await new Authenticator(store).byToken(known.token));
  if (known && caller?.tenantId === owner.tenantId) return { owner, token: known.token };
  return { owner, token: await createToken(store, { ...owner, name: firstNames.tokenName }) };
}
