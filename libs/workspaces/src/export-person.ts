import type { Caller } from '#auth';
import { audit } from '#experiments';
import {
  type AuditEntry,
  type AuditPlace,
  listAuditEntries,
  readPerson,
  readPersonExperiments,
  readPersonIdentities,
  readPersonInvitations,
  readPersonReportLinks,
  readPersonReports,
  readPersonSavedViews,
  readPersonSessions,
  readPersonShareLinks,
  readPersonTokens,
  readPersonWorkspaces,
  readWorkspace,
  type Store,
  type TenantScope,
} from '#store';
import { roleOf } from './standing.ts';

/** One item of data about a person: `kind` is what it is, `workspace` is where it is stored. */
export type PersonalItem = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Number of audit log entries read at a time. */
const linesAtOnce = 1_000;

/**
 * Yields everything that the service stores about the caller, in every workspace where they are or
 * were a member, item by item. Experiments are listed with their names; their data is exported with
 * each of them. There are no secrets, because none are stored.
 */
export async function* exportPerson(store: Store, caller: Caller): AsyncGenerator<PersonalItem> {
  const { tenantId: current, personId } = caller;
  await store.withTenant(current, (scope) => audit(scope, caller, { action: 'person.export', objectId: personId }));
  const person = await readPerson(store.global, personId);
  yield { kind: 'person', id: personId, name: person?.name ?? '', created_at: person?.createdAt ?? null };
  for (const session of await readPersonSessions(store.global, personId)) yield { kind: 'session', ...session };
  for (const identity of await readPersonIdentities(store.global, personId)) yield { kind: 'identity', ...identity };
  for (const tenantId of await readPersonWorkspaces(store.global, personId, true)) {
    const inTenant = <T>(work: (scope: TenantScope) => Promise<T>) => store.withTenant(tenantId, work, { readOnly: true });
    const about = await inTenant(async (scope) => [
      { kind: 'workspace', name: (await readWorkspace(scope))?.name ?? null, role: await roleOf(scope, personId) },
      ...(await readPersonTokens(scope, personId)).map((row) => ({ kind: 'token', ...row })),
      ...(await readPersonExperiments(scope, personId)).map((row) => ({ kind: 'experiment', ...row })),
      ...(await readPersonInvitations(scope, personId)).map((row) => ({ kind: 'invitation', ...row })),
      ...(await readPersonSavedViews(scope, personId)).map((row) => ({ kind: 'saved-view', ...row })),
      ...(await readPersonReports(scope, personId)).map((row) => ({ kind: 'report', ...row })),
      ...(await readPersonReportLinks(scope, personId)).map((row) => ({ kind: 'report-link', ...row })),
      ...(await readPersonShareLinks(scope, personId)).map((row) => ({ kind: 'share-link', ...row })),
    ]);
    for (const item of about) yield { ...item, workspace: tenantId };
    const filter = { action: null, actorId: personId, experimentId: null, result: null, from: null, until: null };
    for (let after: AuditPlace | null | undefined = null; after !== undefined;) {
      const behind: AuditPlace | null = after;
      const lines: AuditEntry[] = await inTenant((scope) =>
        listAuditEntries(scope, filter, { after: behind, limit: linesAtOnce, oldestFirst: true }),
      );
      for (const { at, via, action, result, experimentId, objectId, address } of lines)
        yield { kind: 'action', workspace: tenantId, at, via, action, result, experiment: experimentId, object: objectId, address };
      after = lines.length === linesAtOnce ? lines.at(-1) : undefined;
    }
  }
}
