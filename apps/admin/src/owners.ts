import { randomUUID } from 'node:crypto';
import { createSignInLink } from '#auth';
import { auditService } from '#experiments';
import { parseTenantId, type TenantId } from '#model';
import { insertMember, insertPerson, insertWorkspace, type Operator, readOwner, readPerson, readWorkspace } from '#store';

/**
 * A workspace, its owner, and the path of a one-time sign-in link for the owner, which expires
 * after an hour.
 */
export interface OwnerLink {
  readonly workspace: { readonly id: TenantId; readonly name: string };
  readonly owner: { readonly id: string; readonly name: string };
  readonly path: string;
}

/** Creates a workspace with a new person as its owner. */
export function createWorkspace(operator: Operator, name: string, ownerName: string): Promise<OwnerLink> {
  const tenantId = parseTenantId(randomUUID());
  const personId = randomUUID();
  return operator.run(async (trx, inTenant) => {
    const scope = inTenant(tenantId);
    await insertPerson(trx, personId, ownerName);
    await insertWorkspace(scope, name);
    await insertMember(scope, personId, 'owner');
    await auditService(scope, { action: 'workspace.create', objectId: personId });
    const secret = await createSignInLink({ global: trx }, { tenantId, personId });
    return { workspace: { id: tenantId, name }, owner: { id: personId, name: ownerName }, path: `/sign-in/${secret}` };
  });
}

/**
 * A sign-in link for the person who has owned the workspace the longest. The workspace's audit log
 * records it. Null if there is no such workspace.
 */
export function createOwnerLink(operator: Operator, workspace: string): Promise<OwnerLink | null> {
  const tenantId = parseTenantId(workspace);
  return operator.run(async (trx, inTenant) => {
    const scope = inTenant(tenantId);
    const [settings, personId] = [await readWorkspace(scope), await readOwner(scope)];
    if (settings === null || personId === null) return null;
    await auditService(scope, { action: 'sign-in-link.create', objectId: personId });
    const secret = await createSignInLink({ global: trx }, { tenantId, personId });
    const name = (await readPerson(trx, personId))?.name ?? '';
    return { workspace: { id: tenantId, name: settings.name }, owner: { id: personId, name }, path: `/sign-in/${secret}` };
  });
}
