import { randomUUID } from 'node:crypto';
import { createSignInLink, createToken, type Role, signIn } from '#auth';
import type { TenantId } from '#model';
import { insertMember, insertPerson } from '#store';
import type { ReadService, TestTenant } from './read-service.ts';

/** Adds another member to the workspace of `tenant`, with an unrestricted token. */
export async function addMember(
  service: ReadService,
  { tenantId }: { tenantId: TenantId },
  role: Role,
  name: string = role,
): Promise<TestTenant> {
  const personId = randomUUID();
  await insertPerson(service.store.global, personId, name);
  await service.store.withTenant(tenantId, (scope) => insertMember(scope, personId, role));
  return { tenantId, personId, token: await createToken(service.store, { tenantId, personId, name: role }) };
}

/** The headers of a browser in which the person is signed in. */
export async function browserOf(service: ReadService, who: TestTenant): Promise<{ cookie: string }> {
  const session = await signIn(service.store, await createSignInLink(service.store, who));
  return { cookie: `plotline_session=${session!.secret}` };
}
