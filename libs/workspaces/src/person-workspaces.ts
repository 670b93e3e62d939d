import { type BrowserSession, type Caller, moveSession, type Role } from '#auth';
import { audit } from '#experiments';
import { isTenantId, Problem, type TenantId } from '#model';
import { readPersonWorkspaces, readWorkspace, type Store } from '#store';
import { roleOf } from './standing.ts';

/** A workspace as one of its members sees it. */
export interface OwnWorkspace {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly role: Role;
}

/** A person's workspaces, in the order in which they joined them. */
export async function findWorkspaces(store: Store, personId: string): Promise<OwnWorkspace[]> {
  const found: OwnWorkspace[] = [];
  for (const tenantId of await readPersonWorkspaces(store.global, personId)) {
    const workspace = await findWorkspace(store, tenantId, personId);
    if (workspace) found.push(workspace);
  }
  return found;
}

/**
 * Moves the caller's browser session to another of their workspaces: like a token, a session is for
 * one workspace at a time. Throws `workspace-not-found` if they are not a member, or if the
 * workspace does not exist.
 */
export async function switchWorkspace(
  store: Store,
  caller: Caller,
  sessionSecret: string,
  workspaceId: string,
): Promise<{ workspace: OwnWorkspace; session: BrowserSession }> {
  const { personId } = caller;
  const workspace = isTenantId(workspaceId) ? await findWorkspace(store, workspaceId, personId) : null;
  if (!workspace) throw new Problem('workspace-not-found', 'You are not a member of this workspace, or it does not exist.');
  const { tenantId } = workspace;
  return store.withTenant(tenantId, async (scope) => {
    const session = await moveSession(scope, sessionSecret, { tenantId, personId });
    if (!session) throw new Problem('unauthenticated', 'The session has ended. Sign in again.');
    await audit(scope, { ...caller, tenantId }, { action: 'session.switch' });
    return { workspace, session };
  });
}

async function findWorkspace(store: Store, tenantId: TenantId, personId: string): Promise<OwnWorkspace | null> {
  return store.withTenant(
    tenantId,
    async (scope) => {
      const role = await roleOf(scope, personId);
      const workspace = await readWorkspace(scope);
      return role && workspace && { tenantId, name: workspace.name, role };
    },
    { readOnly: true },
  );
}
