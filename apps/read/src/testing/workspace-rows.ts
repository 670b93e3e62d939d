import { createHash } from 'node:crypto';
import type { TenantId } from '#model';
import type { ReadService } from './read-service.ts';

/**
 * A hexadecimal hash of every row of a workspace: equal hashes before and after a request show that
 * the request changed nothing. Excludes data that requests always change: entries about rejected
 * actions, and the last use of tokens.
 */
export async function hashWorkspaceRows(service: ReadService, tenantId: TenantId): Promise<string> {
  const tables = await service.sql(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'audit_entry' order by 1`,
  );
  const hash = createHash('sha256');
  for (const { name } of tables) {
    const rows = await service.sql(
      `select (to_jsonb(t) - 'last_used_at')::text as row from ${String(name)} t where tenant_id = $1 order by 1`,
      [tenantId],
    );
    hash.update(JSON.stringify([name, rows]));
  }
  return hash.digest('hex');
}
