import { type ExperimentId, isExperimentId, type TenantId, type View } from '#model';
import { findExperiment, readExperimentRoute, readReportLink, readShareLink, readShareRoute, type Store } from '#store';
import { BriefCache } from './brief-cache.ts';
import { type Caller, nobody } from './caller.ts';
import { hashSecret, looksLikeSecret } from './token.ts';

/** A valid link to an experiment or a report. */
export type OpenLink = ExperimentLink | ReportLink;

/** A valid link to a report: its visitor may read the report, and the experiments in it. */
export interface ReportLink {
  readonly kind: 'report';
  readonly reportId: string;
  readonly caller: Caller;
  /** Null for never. */
  readonly expiresAt: Date | null;
}

/** A valid link to an experiment: its visitor, and where it may be shown. */
export interface ExperimentLink {
  readonly kind: 'page' | 'embed';
  readonly experimentId: ExperimentId;
  readonly caller: Caller;
  /** For an embed, the sites that may frame it. */
  readonly origins: readonly string[];
  /** The page's query string; null if there is none. */
  readonly parameters: string | null;
  /** Null for never. */
  readonly expiresAt: Date | null;
}

/**
 * Determines what non-members may read, through a link or because an experiment is public. Visitors
 * are callers in the experiment's workspace who may read only that experiment, within their view,
 * or a report and its experiments. Results are cached for at most 3 seconds.
 */
export class Visitors {
  readonly #store: Store;
  readonly #routes: BriefCache<TenantId | null>;
  readonly #links: BriefCache<OpenLink | null>;
  readonly #public: BriefCache<Caller | null>;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(store: Store, now?: () => number) {
    this.#store = store;
    this.#routes = new BriefCache(now);
    this.#links = new BriefCache(now);
    this.#public = new BriefCache(now);
  }

  /** An experiment's workspace, for any caller; null if there is no such experiment. */
  async tenantOf(experimentId: string): Promise<TenantId | null> {
    if (!isExperimentId(experimentId)) return null;
    return this.#routes.get(experimentId, () => readExperimentRoute(this.#store.global, experimentId));
  }

  /**
   * The link with this secret; null if it is unknown, expired or revoked, or if its experiment or
   * report was deleted.
   */
  async byLink(secret: string): Promise<OpenLink | null> {
    if (!looksLikeSecret(secret)) return null;
    const hash = hashSecret(secret);
    return this.#links.get(hash.toString('base64'), () => this.#lookUpLink(hash));
  }

  /**
   * An anonymous reader of this experiment; null unless it is public. A nonexistent experiment
   * requires the same lookups, so that timing does not distinguish it from a private one.
   */
  async byPublic(experimentId: string): Promise<Caller | null> {
    if (!isExperimentId(experimentId)) return null;
    const tenantId = (await this.tenantOf(experimentId)) ?? nobody;
    return this.#public.get(experimentId, async () => {
      const found = await this.#store.withTenant(tenantId, (scope) => findExperiment(scope, experimentId), { readOnly: true });
      return found?.visibility === 'public'
        ? visitor('public', tenantId, [experimentId], { runs: null, tags: null, anonymous: false, logs: true })
        : null;
    });
  }

  async #lookUpLink(hash: Buffer): Promise<OpenLink | null> {
    const route = await readShareRoute(this.#store.global, hash);
    if (!route) return null;
    const { tenantId, linkId } = route;
    const link = await this.#store.withTenant(tenantId, (scope) => readShareLink(scope, linkId), { readOnly: true });
    if (!link) return this.#lookUpReportLink(tenantId, linkId);
    const { kind, experimentId, runs, tags, anonymous, logs = false, origins, parameters, expiresAt } = link;
    const caller = visitor('share', tenantId, [experimentId], { runs, tags, anonymous, logs });
    return { kind: kind === 'embed' ? 'embed' : 'page', experimentId, caller, origins: origins ?? [], parameters, expiresAt };
  }

  async #lookUpReportLink(tenantId: TenantId, linkId: string): Promise<ReportLink | null> {
    const link = await this.#store.withTenant(tenantId, (scope) => readReportLink(scope, linkId), { readOnly: true });
    if (!link) return null;
    const { reportId, anonymous, experiments, expiresAt } = link;
    const caller = { ...visitor('share', tenantId, experiments, { runs: null, tags: null, anonymous, logs: false }), reportId };
    return { kind: 'report', reportId, caller, expiresAt };
  }
}

function visitor(via: 'share' | 'public', tenantId: TenantId, experiments: readonly ExperimentId[], view: View): Caller {
  return {
    tenantId,
    personId: nobody,
    via,
    program: false,
    role: 'viewer',
    scopes: new Set(['read']),
    experiments: new Set(experiments),
    view,
  };
}
