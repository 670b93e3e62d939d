import type { UploadLimits } from '#http';
import { Problem, type Quota, type TenantId } from '#model';

/**
 * Limits how many ranges this process receives concurrently, in total and per workspace, so that
 * open requests do not pile up.
 */
export class AppendSlots {
  readonly #limits: UploadLimits;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(limits: UploadLimits) {
    this.#limits = limits;
  }

  /** A permit to receive one range. Throws `too-many-uploads`. */
  take(tenantId: TenantId): Disposable {
    const { maxConcurrentAppends, maxConcurrentAppendsPerWorkspace } = this.#limits;
    const own = this.#taken.get(tenantId) ?? 0;
    if (own >= maxConcurrentAppendsPerWorkspace) throw tooMany('appends', maxConcurrentAppendsPerWorkspace, 'of this workspace');
    if (this.#all >= maxConcurrentAppends) throw tooMany('appends-of-all', maxConcurrentAppends, 'of all workspaces');
    this.#taken.set(tenantId, own + 1);
    this.#all++;
    let released = false;
    return {
      [Symbol.dispose]: () => {
        if (released) return;
        released = true;
        this.#all--;
        const left = this.#taken.get(tenantId)! - 1;
        if (left === 0) this.#taken.delete(tenantId);
        else this.#taken.set(tenantId, left);
      },
    };
  }
}

function tooMany(policy: string, quota: number, whose: string): Problem {
  const full: Quota = { policy, quota, unit: 'concurrent-requests', left: 0, seconds: null };
  return new Problem('too-many-uploads', `${quota} ranges ${whose} are already being received; send this range again in a moment.`, {
    quotas: [full],
  });
}
