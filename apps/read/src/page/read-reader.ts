import { type Action, decide, rules } from '#experiments';
import type { Caller } from '#http';
import { readIdentity, type TenantScope } from '#store';

/**
 * The reader of a page, and the actions that they may take in the workspace. The page offers no
 * other actions; the API checks again.
 */
export interface PageReader {
  readonly workspace: string;
  readonly person: string;
  readonly id: string;
  readonly role: string;
  /** Permitted actions on the reader's own objects, and on the workspace. */
  readonly may: readonly Action[];
  /** Permitted actions on objects of other members. */
  readonly mayToOthers: readonly Action[];
}

/** The reader of a page. */
export async function readReader(scope: TenantScope, caller: Caller): Promise<PageReader> {
  const { tenantId, personId } = caller;
  const identity = await readIdentity(scope, personId);
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
