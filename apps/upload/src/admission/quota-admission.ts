import { setTimeout as sleepFor } from 'node:timers/promises';
import { Problem, type Quota, type Quotas, storedQuotas } from '#model';
import { quotaExceeded, usedOf } from '#workspaces';
import type { KnownUsage, UsageView } from './usage-view.ts';

/**
 * The least that a point takes in an event file: a value with the emptiest tag, a simple value, and their field headers. No range has more points
 * than its bytes divided by this.
 */
export const leastPointBytes = 8;
/** The least that one more series takes: a value with a tag that no other value has. A guess. */
const leastSeriesBytes = 16;
/** From this part of a quota on, looks are fresh; and no more is let in than series certainly fit: before that, most ranges bring no new one at all. */
const carefulShare = 0.9;

/** So near to the bound of files as well. */
const nearFiles = 1_000;

/** So near to the bound of bytes, a look of a second ago will not do: other processes may have taken that much since. */
const nearBytes = 1024 ** 3;

/** A range that must wait for others to be counted waits here for so long, unread, before it is sent away. */
const patienceMs = 1_000;
const lookAgainMs = 100;
const comeBackSeconds = 2;

/** Leave for one range. Its bytes count as used until it is given back. */
export interface RangeLeave {
  /** The range has arrived, and has so many bytes. Throws as admission does, when they do not fit, or when less is allowed than when it was let in. */
  arrived(bytes: number): Promise<void>;
  /** The range is stored: from now on it counts as what it is. */
  stored(): void;
  /** The range is stored, or given up. May be called more than once. */
  giveBack(): void;
}

/** Room for further event files. */
export interface FileRoom {
  /** Throws `quota-exceeded` unless there is room for one more. Asked for each file that is made, in the transaction that makes it. */
  take(): void;
  /** Those that were taken are there: from now on they count. Not called where the transaction failed. */
  made(): void;
}

/**
 * Keeps a workspace within what it may store. Bytes are known before they are acknowledged, so they never exceed their quota, but for ranges that other
 * processes were receiving at the moment when it was reached. Points and series are known only when the bytes were read, so near their bounds a
 * range waits until those before it were read, as far as these could fill what is left; they are exceeded by at most one range of each connection.
 *
 * What was acknowledged is never refused afterwards: it is read and stored whatever the quotas say.
 */
export class QuotaAdmission {
  readonly #usage: UsageView;
  readonly #quotasOf: (tenantId: string) => Promise<Quotas>;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #onTheirWay = new Map<string, number>();

  constructor(
    usage: UsageView,
    quotasOf: (tenantId: string) => Promise<Quotas>,
    sleep: (ms: number) => Promise<void> = (ms) => sleepFor(ms),
  ) {
    this.#usage = usage;
    this.#quotasOf = quotasOf;
    this.#sleep = sleep;
  }

  /** Leave for a range of so many bytes, as far as is known. Throws `quota-exceeded`, and `too-much-pending` where it is to wait. */
  async admit(tenantId: string, bytes: number): Promise<RangeLeave> {
    const quotas = await this.#quotasOf(tenantId);
    let known = await this.#usage.recent(tenantId);
    for (let waitedMs = 0; this.#isNear(tenantId, known, quotas, bytes); waitedMs += lookAgainMs) {
      known = await this.#usage.fresh(tenantId);
      refuseExceeded(known, quotas, bytes);
      if (!this.#mustWait(tenantId, known, quotas, bytes)) break;
      if (waitedMs >= patienceMs) throw mustComeBack();
      await this.#sleep(lookAgainMs);
    }
    return this.#letIn(tenantId, quotas, bytes);
  }

  /** How many event files may be made now. Asked before the transaction that may make some. */
  async fileRoom(tenantId: string): Promise<FileRoom> {
    const { files: limit } = await this.#quotasOf(tenantId);
    const { seen, since } = await this.#usage.recent(tenantId);
    let room = limit - seen.files - since.files;
    // A fresh look has seen what was made before it; what is made meanwhile, by so many as ask at once, may go over.
    if (room < nearFiles) room = limit - (await this.#usage.fresh(tenantId)).seen.files;
    let taken = 0;
    return {
      take: () => {
        if (taken >= room) throw quotaExceeded('files', limit, limit - room + taken);
        taken++;
      },
      made: () => {
        this.#usage.add(tenantId, { files: taken });
        taken = 0;
      },
    };
  }

  /** What the workspace may still store, for who asks right after a range. */
  async quota(tenantId: string): Promise<Quota> {
    const { bytes: quota } = await this.#quotasOf(tenantId);
    const { seen, since } = await this.#usage.recent(tenantId);
    return { policy: 'stored', quota, unit: 'content-bytes', left: quota - usedOf(seen).bytes - since.bytes, seconds: null };
  }

  #letIn(tenantId: string, quotas: Quotas, expected: number): RangeLeave {
    let bytes = expected;
    let out = false;
    this.#move(tenantId, bytes);
    const giveBack = (): void => {
      if (!out) this.#move(tenantId, -bytes);
      out = true;
    };
    return {
      arrived: async (actual) => {
        this.#move(tenantId, actual - bytes);
        bytes = actual;
        // The body may have taken minutes, and the workspace may have been given less meanwhile.
        const quotasNow = await this.#quotasOf(tenantId);
        if (storedQuotas.every((name) => quotasNow[name] >= quotas[name])) {
          if (actual <= expected || !this.#isNear(tenantId, await this.#usage.recent(tenantId), quotasNow, 0)) return;
        }
        const known = await this.#usage.fresh(tenantId);
        refuseExceeded(known, quotasNow, bytes);
        if (usedOf(known.seen).bytes + known.since.bytes + this.#way(tenantId) > quotasNow.bytes) throw mustComeBack();
      },
      stored: () => {
        this.#usage.add(tenantId, { bytes });
        giveBack();
      },
      giveBack,
    };
  }

  #way(tenantId: string): number {
    return this.#onTheirWay.get(tenantId) ?? 0;
  }

  #move(tenantId: string, bytes: number): void {
    const left = this.#way(tenantId) + bytes;
    if (left > 0) this.#onTheirWay.set(tenantId, left);
    else this.#onTheirWay.delete(tenantId);
  }

  /** Whether what is known from a recent look may be too old to let a range in. */
  #isNear(tenantId: string, known: KnownUsage, quotas: Quotas, bytes: number): boolean {
    const used = usedOf(known.seen);
    const all = used.bytes + known.since.bytes + this.#way(tenantId) + bytes;
    if (quotas.bytes - all < nearBytes) return true;
    if (used.points >= quotas.points * carefulShare || used.series >= quotas.series * carefulShare) return true;
    return this.#mustWait(tenantId, known, quotas, bytes);
  }

  /** Whether others that are not counted yet could leave no room. */
  #mustWait(tenantId: string, { seen, since }: KnownUsage, quotas: Quotas, bytes: number): boolean {
    const way = this.#way(tenantId);
    const used = usedOf(seen);
    if (used.bytes + since.bytes + way + bytes > quotas.bytes) return true;
    const unread = seen.pendingBytes + since.bytes + way;
    if (unread === 0) return false;
    if (used.points + unread / leastPointBytes >= quotas.points) return true;
    return used.series >= quotas.series * carefulShare && used.series + unread / leastSeriesBytes >= quotas.series;
  }
}

/** Throws when what is committed leaves no room, whatever becomes of what is under way. */
function refuseExceeded({ seen }: KnownUsage, quotas: Quotas, bytes: number): void {
  const used = usedOf(seen);
  if (used.bytes + bytes > quotas.bytes) throw quotaExceeded('bytes', quotas.bytes, used.bytes);
  if (used.points >= quotas.points) throw quotaExceeded('points', quotas.points, used.points);
  if (used.series >= quotas.series) throw quotaExceeded('series', quotas.series, used.series);
}

function mustComeBack(): Problem {
  return new Problem(
    'too-much-pending',
    `This workspace is near its quota, and earlier uploads must be counted first. Nothing is lost; send the range again in ${comeBackSeconds} s.`,
    { retryAfterSeconds: comeBackSeconds },
  );
}
