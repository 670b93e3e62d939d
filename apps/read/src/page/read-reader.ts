import type { Caller } from '#http';
import { readIdentity, type Snapshot } from '#store';
import type { Reader } from './shell.ts';

/** Who looks at a page. */
export async function readReader({ trx }: Snapshot, caller: Caller): Promise<Reader> {
  const identity = await readIdentity(trx, caller.tenantId, caller.personId);
  return { workspace: identity?.workspace ?? '', person: identity?.displayName ?? '' };
}
