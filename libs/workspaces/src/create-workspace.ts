import type { Caller } from '#auth';
import { audit, decide, forbidden } from '#experiments';
import { Problem, type TenantId } from '#model';
import { countFounded, insertMember, insertWorkspace, noteFounder, type Store } from '#store';

/** A workspace that a person requests. */
export interface WorkspaceRequest {
  /** New and random. */
  readonly tenantId: TenantId;
  readonly name: string;
  /** How many workspaces a person may create. */
  readonly max: number;
}

/**
 * Creates a workspace owned by the caller. Keeps what already exists, so a request can be repeated.
 * Throws `forbidden` (always, if nobody may create workspaces), and `quota-exceeded`. Each
 * workspace has its own quotas, so the number of workspaces that a person has created is limited,
 * no matter who owns them now.
 */
export async function createWorkspace(store: Store, caller: Caller, { tenantId, name, max }: WorkspaceRequest): Promise<void> {
  const verdict = decide(caller, 'workspace.create');
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  if (max === 0) throw new Problem('forbidden', 'People cannot create workspaces on this service. Ask its operator for one.');
  const { personId } = caller;
  await store.withTenant(tenantId, async (scope) => {
    const founded = await countFounded(scope.trx, personId);
    if (founded === null) throw new Problem('forbidden', 'The person who would own it no longer exists.');
    if (!(await insertWorkspace(scope, name))) return;
    if (founded >= max)
      throw new Problem('quota-exceeded', `You have created ${max} workspaces, which is the limit. Delete one of them first.`, {
        extra: { quota: 'workspaces', limit: max, used: founded },
      });
    await insertMember(scope, personId, 'owner');
    await noteFounder(scope, personId);
    await audit(scope, { ...caller, tenantId }, { action: 'workspace.create' });
  });
}
