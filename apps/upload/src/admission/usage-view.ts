import type { Usage } from '#store';

/** How a {@link UsageView} looks. */
export interface UsageViewOptions {
  /** What a workspace has now, from one snapshot. */
  readonly read: (tenantId: string) => Promise<Usage>;
  /** In milliseconds, of a clock that never goes back. */
  readonly now?: () => number;
}

/** What is known of a workspace. */
export interface KnownUsage {
  /** The last look: what was committed then, in all processes. */
  readonly seen: Usage;
  /** What this process has added since that look began; the look may have seen some of it. */
  readonly since: Added;
}

/** What one process adds. */
export interface Added {
  /** Bytes that were acknowledged. */
  readonly bytes: number;
  /** Event files that were made. */
  readonly files: number;
}

const nothing: Added = { bytes: 0, files: 0 };

function sum(one: Added, other: Added): Added {
  return { bytes: one.bytes + other.bytes, files: one.files + other.files };
}

/** A look is this old at most while a workspace is far from its bounds … */
const everyMs = 1_000;
/** … or older where looking takes long: looks of one workspace take at most a twentieth of the time. */
const restPerLook = 20;
/** Whoever finds that a look is overdue by this much (nothing came in for a while) waits for it. */
const overdueMs = 4_000;
const maxKnown = 10_000;

/**
 * What workspaces have, cheap enough to be asked for with every range: the last look at the rows and what this process acknowledged since. The
 * rows alone count, so nothing can drift and a restart forgets nothing.
 */
export class UsageView {
  readonly #options: Required<UsageViewOptions>;
  readonly #known = new Map<string, Workspace>();

  constructor(options: UsageViewOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** What is known, from a look that is recent. Throws what the first look throws. */
  async recent(tenantId: string): Promise<KnownUsage> {
    const workspace = this.#workspace(tenantId);
    const overdue = this.#options.now() - workspace.nextLookAt;
    if (!workspace.seen || overdue > overdueMs) await this.#lookFrom(tenantId, workspace);
    else if (overdue >= 0) void this.#lookFrom(tenantId, workspace).catch(() => undefined); // whoever needs to know waits for one
    return knownOf(workspace);
  }

  /** What is known, from a look that begins after this call. */
  async fresh(tenantId: string): Promise<KnownUsage> {
    const workspace = this.#workspace(tenantId);
    // The look that is under way may have missed what came just before this call; all who wait share the next one.
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

  /** Notes what this process has added. */
  add(tenantId: string, added: Partial<Added>): void {
    const workspace = this.#known.get(tenantId);
    if (!workspace) return; // nobody has looked: the first look sees it
    const all = { ...nothing, ...added };
    workspace.since = sum(workspace.since, all);
    workspace.during = sum(workspace.during, all);
  }

  #workspace(tenantId: string): Workspace {
    let workspace = this.#known.get(tenantId);
    if (!workspace) {
      workspace = { seen: null, since: nothing, during: nothing, nextLookAt: -Infinity, looking: null, next: null };
      if (this.#known.size >= maxKnown) this.#known.delete(this.#known.keys().next().value!);
      this.#known.set(tenantId, workspace);
    }
    return workspace;
  }

  #lookFrom(tenantId: string, workspace: Workspace): Promise<void> {
    return (workspace.looking ??= this.#look(tenantId, workspace).finally(() => {
      workspace.looking = null;
    }));
  }

  async #look(tenantId: string, workspace: Workspace): Promise<void> {
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
  /** Added since the look began that is being taken. */
  during: Added;
  nextLookAt: number;
  looking: Promise<void> | null;
  next: Promise<void> | null;
}
