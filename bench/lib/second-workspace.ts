import { randomUUID } from 'node:crypto';
import { createToken } from '#auth';
import { runningPostgresUrl } from '#embedded-postgres';
import type { TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { insertMember, insertPerson, insertWorkspace, Operator, Store, writeWorkspaceLimits } from '#store';

/** A workspace of a running service, and its owner's token. */
export interface Workspace {
  readonly tenantId: TenantId;
  readonly personId: string;
  readonly token: string;
}

/** Creates another workspace in the service with this folder, with the given request quota. */
export async function secondWorkspace(folder: string, name: string, requestsPerMinute: number): Promise<Workspace> {
  const operator = new Operator(await urlOf(folder, 'plotline_migrator'));
  try {
    return await withServiceStore(folder, async (store) => {
      const [tenantId, personId] = [tenantIdOf(randomUUID()), randomUUID()];
      await insertPerson(store.global, personId, name);
      await store.withTenant(tenantId, async (scope) => {
        await insertWorkspace(scope, name);
        await insertMember(scope, personId, 'owner');
      });
      await operator.run((_, inTenant) =>
        writeWorkspaceLimits(inTenant(tenantId), { quotas: { requests_per_minute: requestsPerMinute }, by: 'bench' }),
      );
      return { tenantId, personId, token: await createToken(store, { tenantId, personId, name: 'bench' }) };
    });
  } finally {
    await operator.close();
  }
}

/** Calls `use` with a store on the database of a running service. */
export async function withServiceStore<T>(folder: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = new Store({ appUrl: await urlOf(folder, 'plotline_app'), appPoolSize: 1 });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function urlOf(folder: string, role: string): Promise<string> {
  const url = await runningPostgresUrl(folder, role, 'plotline');
  if (url === null) throw new Error('the database of the service is unavailable');
  return url;
}
