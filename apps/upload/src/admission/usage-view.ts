import type { TenantId } from '#model';
import type { Usage } from '#store';

/** How a {@link UsageView} reads usage. */
export interface UsageViewOptions {
  /** Reads the current usage of a workspace from one snapshot. */
  readonly read: (tenantId: TenantId) => Promise<Usage>;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
}

/** What is known about a workspace's usage. */
export interface KnownUsage {
  /** The last reading: the usage that all processes had committed at that time. */
  readonly seen: Usage;
  /**
   * Usage that this process has added since the reading started. The reading may include part of
   * it.
   */
  readonly since: Added;
}

/** Usage that one process adds. */
export interface Added {
  /** Bytes that were acknowledged. */
  readonly bytes: number;
  /** Event files that were created. */
  readonly files: number;
}

const nothing: Added = { bytes: 0, files: 0 };

function sum(one: Added, other: Added): Added {
  return { bytes: one.bytes + other.bytes, files: one.files + other.files };
}

/** Maximum age of a reading while a workspace is far from its quotas … */
const everyMs = 1_000;
/**
 * … or longer if reading is slow: readings of one workspace may take at most a twentieth of the
 * time.
 */
const restPerLook = 20;
/**
 * A caller waits for a reading if it is overdue by this much, which happens after a pause in
 * uploads.
 */
const overdueMs = 4_000;
const maxKnown = 10_000;

/**
 * The usage of workspaces, cheap enough to query with every range. It is the last reading of the
 * rows, plus what this process has acknowledged since. The rows are authoritative, so nothing can
 * drift and a restart loses nothing.
 */
export class UsageView {
  readonly #options: Required<UsageViewOptions>;
  readonly #known = new Map<string, Workspace>();

  constructor(options: UsageViewOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** The usage according to a recent reading. Throws the error of the first reading. */
  async recent(tenantId: TenantId): Promise<KnownUsage> {
    const workspace = this.#workspace(tenantId);
    const overdue = this.#options.now() - workspace.nextLookAt;
    if (!workspace.seen || overdue > overdueMs) await this.#lookFrom(tenantId, workspace);
    else if (overdue >= 0) void this.#lookFrom(tenantId, workspace).catch(() => undefined); // a caller that needs the result waits for the reading
    return knownOf(workspace);
  }

  /** The usage according to a reading that starts after this call. */
  async fresh(tenantId: TenantId): Promise<KnownUsage> {
    const workspace = this.#workspace(tenantId);
    // The current reading may miss data from just before this call, so all waiting callers share
    // the next reading.
    if (workspace.looking) {
      workspace.next ??= workspace.looking
        .catch(() => undefined)
        .then(() => {
          workspace.next = null;
          return this.#lookFrom(tenantId, workspace);
        });
      await workspace.next;
    } else {
      await this.#lookFrom(tenantId, workspace);
    }
    return knownOf(workspace);
  }

  /** Adds what this process has stored. */
  add(tenantId: TenantId, added: Partial<Added>): void {
    const workspace = this.#known.get(tenantId);
    if (!workspace) return; // no reading yet; the first one includes it
    const all = { ...nothing, ...added };
    workspace.since = sum(workspace.since, all);
    workspace.during = sum(workspace.during, all);
  }

  #workspace(tenantId: TenantId): Workspace {
    let workspace = this.#known.get(tenantId);
    if (!workspace) {
      workspace = { seen: null, since: nothing, during: nothing, nextLookAt: -Infinity, looking: null, next: null };
      if (this.#known.size >= maxKnown) this.#known.delete(this.#known.keys().next().value!);
      this.#known.set(tenantId, workspace);
    }
    return workspace;
  }

  #lookFrom(tenantId: TenantId, workspace: Workspace): Promise<void> {
    return (workspace.looking ??= this.#look(tenantId, workspace).finally(() => {
      workspace.looking = null;
    }));
  }

  async #look(tenantId: TenantId, workspace: Workspace): Promise<void> {
    const { read, now } = this.#options;
    const startedAt = now();
    workspace.during = nothing;
    try {
      workspace.seen = await read(tenantId);
      workspace.since = workspace.during;
    } finally {
      const endedAt = now();
      workspace.nextLookAt = endedAt + Math.max(everyMs, restPerLook * (endedAt - startedAt));
    }
  }
}

function knownOf({ seen, since }: Workspace): KnownUsage {
  if (!seen) throw new Error('nobody has looked');
  return { seen, since };
}

interface Workspace {
  seen: Usage | null;
  since: Added;
  /** Usage added since the current reading started. */
  during: Added;
  nextLookAt: number;
  looking: Promise<void> | null;
  next: Promise<void> | null;
}
