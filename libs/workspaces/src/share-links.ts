import { randomUUID } from 'node:crypto';
import { type Caller, hashSecret, newSecret } from '#auth';
import { audit, decide, forbidden, requireExperiment, requireNames } from '#experiments';
import { type ExperimentId, logsTag, Problem, type Quotas, type TagName, type View } from '#model';
import {
  insertShareLink,
  insertShareRoute,
  listShareLinks,
  readShareLinkOwner,
  revokeShareLink,
  type ShareLinkSummary,
  type Store,
  type TenantScope,
} from '#store';
import { isUuid } from './standing.ts';
import { type AddLogs, takeSnapshot } from './take-snapshot.ts';

/** The content and audience of a link. */
export interface LinkRequest extends View {
  readonly name: string;
  /** If true, the link shows a copy of the current state; otherwise, the growing experiment. */
  readonly frozen: boolean;
  /** For an embed, the sites that may frame it. Null for a link for a browser or a program. */
  readonly origins: readonly string[] | null;
  /** The page's query string, limited to what the link shows; null if there is none. */
  readonly parameters: string | null;
  /** Null for never. */
  readonly expiresInDays: number | null;
}

/** A new link. `secret` is shown only this once. */
export interface MadeLink {
  readonly linkId: string;
  readonly secret: string;
  /** The experiment that the link shows, or a copy of the experiment. */
  readonly experimentId: ExperimentId;
  readonly expiresAt: Date | null;
  /** As stored, without the log tag, which is stored as `logs`. */
  readonly tags: readonly TagName[] | null;
  readonly logs: boolean;
}

const dayMs = 86_400_000;

/**
 * Creates a link to an experiment. Its secret has 178 random bits, and only its hash is stored.
 * Throws `quota-exceeded` if a frozen copy does not fit, and `not-found` for runs and tags that the
 * experiment does not have.
 */
export async function makeShareLink(
  store: Store,
  caller: Caller,
  sourceId: ExperimentId,
  { request, quotas, addLogs }: { readonly request: LinkRequest; readonly quotas: Quotas; readonly addLogs: AddLogs },
): Promise<MadeLink> {
  const { tenantId, personId } = caller;
  const { name, runs, anonymous, origins, parameters, expiresInDays } = request;
  // The log tag has no series.
  const tags = request.tags && request.tags.filter((tag) => tag !== logsTag);
  const logs = request.logs === true || request.tags?.includes(logsTag) === true;
  if (logs && anonymous)
    throw new Problem('bad-request', 'An anonymous link cannot show logs: they name people and machines. Leave out one of the two.');
  const linkId = randomUUID();
  const expiresAt = expiresInDays === null ? null : new Date((await store.clock.now()) + expiresInDays * dayMs);
  const experimentId = await store.withTenant(tenantId, async (scope) => {
    await requireExperiment(scope, caller, sourceId, 'experiment.share');
    await requireNames(scope, sourceId, { runs: runs ?? [], tags: tags ?? [] });
    const copy = request.frozen
      ? await takeSnapshot(scope, caller, sourceId, {
          request: { runs, tags },
          quotas,
          may: 'experiment.share',
          addLogs: logs ? addLogs : undefined,
        })
      : null;
    const shown = copy?.experimentId ?? sourceId;
    const kind = origins === null ? 'page' : 'embed';
    const view = { runs, tags, anonymous, logs };
    await insertShareLink(scope, {
      linkId,
      kind,
      experimentId: shown,
      sourceId,
      name,
      madeBy: personId,
      ...view,
      origins,
      parameters,
      expiresAt,
    });
    const details = { frozen: request.frozen, anonymous, logs, embed: origins !== null, expires_in_days: expiresInDays };
    await audit(scope, caller, { action: 'share-link.create', experimentId: sourceId, objectId: linkId, details });
    return shown;
  });
  // The route is inserted last, outside the transaction, because its table is global. Without it,
  // the link does not work, but nobody has the link yet.
  const secret = newSecret();
  await insertShareRoute(store.global, { linkHash: hashSecret(secret), tenantId, linkId });
  return { linkId, secret, experimentId, expiresAt, tags, logs };
}

/** The valid links to an experiment, for members who may share it. */
export async function findShareLinks(
  scope: TenantScope,
  caller: Caller,
  sourceId: ExperimentId,
  limit: number,
): Promise<ShareLinkSummary[]> {
  await requireExperiment(scope, caller, sourceId, 'experiment.share');
  return listShareLinks(scope, sourceId, limit);
}

/**
 * Revokes the caller's link or, for admins, any member's link. It stops working within five
 * seconds. Throws `share-link-not-found`.
 */
export async function endShareLink(scope: TenantScope, caller: Caller, linkId: string): Promise<void> {
  const { tenantId } = caller;
  const found = isUuid(linkId) ? await readShareLinkOwner(scope, linkId) : null;
  const verdict = found && decide(caller, 'experiment.share', { tenantId, experimentId: found.sourceId, ownerId: found.madeBy });
  if (!verdict || verdict === 'hidden') throw new Problem('share-link-not-found', 'There is no such link in this workspace.');
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  await revokeShareLink(scope, linkId);
  await audit(scope, caller, { action: 'share-link.revoke', experimentId: found.sourceId, objectId: linkId });
}
