import { type Action, decide, rules } from '#experiments';
import type { Caller } from '#http';
import { readIdentity, type Snapshot } from '#store';

/** Who looks at a page, and what of the workspace they may do: what they may not is not offered to them. The API decides again. */
export interface PageReader {
  readonly workspace: string;
  readonly person: string;
  readonly id: string;
  readonly role: string;
  /** What they may do to what is theirs, and to the workspace. */
  readonly may: readonly Action[];
  /** And to what somebody else made. */
  readonly mayToOthers: readonly Action[];
}

/** Who looks at a page. */
export async function readReader({ trx }: Pick<Snapshot, 'trx'>, caller: Caller): Promise<PageReader> {
  const { tenantId, personId } = caller;
  const identity = await readIdentity(trx, tenantId, personId);
  const all = Object.keys(rules) as Action[];
  const ofOthers = { tenantId, experimentId: null, ownerId: null };
  return {
    workspace: identity?.workspace ?? '',
    person: identity?.displayName ?? '',
    id: personId,
    role: caller.role,
    may: all.filter((action) => decide(caller, action) === 'allowed'),
    mayToOthers: all.filter((action) => decide(caller, action, ofOthers) === 'allowed'),
  };
}
