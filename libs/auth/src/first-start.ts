import { randomUUID } from 'node:crypto';
import { parseTenantId, type TenantId } from '#model';
import { insertMember, insertPerson, insertWorkspace, readOwner, readTenantsWithTokens, type Store } from '#store';
import { createToken } from './tokens.ts';

/** An owner of a workspace. */
export interface Owner {
  readonly tenantId: TenantId;
  readonly personId: string;
}

/** The name that lists show for the token set in PLOTLINE_OWNER_TOKEN. */
export const givenTokenName = 'given by the operator';

/**
 * Ensures that a single-workspace installation has an owner. On the first start, creates the
 * person, workspace and membership, and a token for the local CLI, or `givenToken`. Returns null on
 * later starts, because a token is shown only once (`createToken` creates another). After a crash
 * in between, it starts over.
 */
export async function firstStart(
  store: Store,
  {
    personName,
    workspaceName,
    tokenName,
    givenToken,
  }: { personName: string; workspaceName: string; tokenName: string; givenToken?: string | undefined },
): Promise<{ owner: Owner; token: string | null }> {
  const known = await findOwner(store);
  if (known) return { owner: known, token: null };
  const owner: Owner = { tenantId: parseTenantId(randomUUID()), personId: randomUUID() };
  await insertPerson(store.global, owner.personId, personName);
  await store.withTenant(owner.tenantId, async (scope) => {
    await insertWorkspace(scope, workspaceName);
    await insertMember(scope, owner.personId, 'owner');
  });
  if (givenToken === undefined) return { owner, token: await createToken(store, { ...owner, name: tokenName }) };
  await createToken(store, { ...owner, name: givenTokenName, chosenToken: givenToken });
  return { owner, token: null };
}

/** The owner of the installation's workspace; null before the first start has completed. */
export async function findOwner(store: Store): Promise<Owner | null> {
  for (const tenantId of await readTenantsWithTokens(store.global)) {
    const personId = await store.withTenant(tenantId, (scope) => readOwner(scope), { readOnly: true });
    if (personId !== null) return { tenantId, personId };
  }
  return null;
}
