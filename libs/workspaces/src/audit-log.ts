import { type Caller } from '#auth';
import { audit, decide, forbidden } from '#experiments';
import { type AuditEntry, type AuditFilter, type AuditPlace, listAuditEntries, type Store, type TenantScope } from '#store';

/** Number of entries read at a time. */
const linesAtOnce = 1_000;

/**
 * Audit log entries of the caller's workspace, newest first, after the entry at `after`. For owners
 * and admins.
 */
export async function readAuditLog(
  scope: TenantScope,
  caller: Caller,
  filter: AuditFilter,
  page: { readonly after: AuditPlace | null; readonly limit: number },
): Promise<AuditEntry[]> {
  requireReader(caller);
  return listAuditEntries(scope, filter, page);
}

/** Yields all matching entries up to now, oldest first. The export itself is logged. */
export async function* exportAuditLog(store: Store, caller: Caller, filter: AuditFilter): AsyncGenerator<AuditEntry> {
  requireReader(caller);
  const { tenantId } = caller;
  const last = await store.withTenant(tenantId, async (scope) => {
    const [newest] = await listAuditEntries(scope, filter, { after: null, limit: 1 });
    await audit(scope, caller, { action: 'audit.export' });
    return newest;
  });
  if (last === undefined) return;
  for (let after: AuditPlace | null = null; ;) {
    const page: Parameters<typeof listAuditEntries>[2] = { after, limit: linesAtOnce, oldestFirst: true };
    const lines = await store.withTenant(tenantId, (scope) => listAuditEntries(scope, filter, page), { readOnly: true });
    for (const line of lines) {
      if (isLater(line, last)) return;
      yield line;
    }
    if (lines.length < linesAtOnce) return;
    after = lines.at(-1)!;
  }
}

function isLater(a: AuditPlace, b: AuditPlace): boolean {
  const [at, reference] = [BigInt(a.micros), BigInt(b.micros)];
  return at > reference || (at === reference && BigInt(a.entryId) > BigInt(b.entryId));
}

function requireReader(caller: Caller): void {
  const verdict = decide(caller, 'audit.read');
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
}
